import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const ANNEAL = join(import.meta.dirname, 'main.js');

describe('anneal proposals', () => {
  let api: TestApi;
  let second: string;
  beforeAll(async () => {
    api = await sharedTestApi();
    const owner = { authorization: `Bearer ${api.session}` };
    const member = { email: `cli-${crypto.randomUUID()}@example.com`, role: 'owner' };
    const { body } = await api.call('PUT', '/workspace/members', member, owner);
    const followed = await fetch(body.sign_in_link as string, { redirect: 'manual' });
    const cookie = followed.headers.get('set-cookie')!.split(';')[0]!;
    const made = await api.call('POST', '/create-api-key', { name: 'k' }, { cookie, origin: api.url });
    second = made.body.secret_key as string;
    await api.call('POST', '/models', { name: 'tickets' });
    await api.call('POST', '/models/tickets/versions', { model_id: 'anneal/encoder-base-v1' });
    expect((await api.call('PUT', '/workspace/two-people', { acts: ['promote'] }, owner)).status).toBe(200);
  });
  afterAll(() => api.close());

  async function anneal(key: string, ...args: string[]) {
    const child = spawn(process.execPath, [ANNEAL, ...args, '--url', api.url], {
      env: { ...process.env, KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close') as Promise<[number]>;
    const [out, error] = await Promise.all(
      [child.stdout, child.stderr].map(async (stream) => Buffer.concat(await Array.fromAsync(stream)).toString()),
    );
    return { code: (await closed)[0], out: out!, error: error! };
  }
  const promote = ['models', 'promote', 'tickets', '1', '--reason', 'better'];

  it('lists what waits, declines it with a reason, and has it done by the confirmation of another person', async () => {
    const proposed = await anneal(api.key, ...promote);
    expect([proposed.code, proposed.out]).toEqual([0, expect.stringMatching(/proposal .* not done yet/)]);
    const [first] = (await anneal(second, 'proposals', 'list', '--json')).out.trim().split('\n');
    const { id } = JSON.parse(first!) as { readonly id: string };
    const refused = await anneal(api.key, 'proposals', 'confirm', id);
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('another person')]);
    const declined = await anneal(second, 'proposals', 'reject', id, '--reason', 'not yet', '--json');
    expect(JSON.parse(declined.out)).toMatchObject({ id, status: 'declined', declined_because: 'not yet' });
    expect((await anneal(second, 'proposals', 'list')).out).toMatch('No such proposals');
    const again = JSON.parse((await anneal(api.key, ...promote, '--json')).out) as { readonly proposal_id: string };
    const confirmed = await anneal(second, 'proposals', 'confirm', again.proposal_id);
    expect([confirmed.code, confirmed.out]).toEqual([0, expect.stringMatching(/performed .* put tickets@1 in use/)]);
    expect((await api.call('GET', '/models/tickets')).body.version).toBe(1);
    const all = (await anneal(second, 'proposals', 'list', '--status', 'all', '--json')).out.trim().split('\n');
    expect(all.map((line) => (JSON.parse(line) as { status: string }).status)).toEqual(['performed', 'declined']);
  });
});
