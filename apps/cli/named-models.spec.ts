import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const ANNEAL = join(import.meta.dirname, 'main.js');
const model_id = 'anneal/encoder-base-v1';

describe('anneal models', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
    await api.call('POST', '/models', { name: 'tickets' });
    for (const id of [model_id, 'anneal/embedder-base-v1'])
      expect((await api.call('POST', '/models/tickets/versions', { model_id: id })).status).toBe(200);
    await api.call('PUT', '/models/tickets/versions/1/promote', { reason: 'the first one' });
  });
  afterAll(() => api.close());

  async function anneal(...args: string[]) {
    const child = spawn(process.execPath, [ANNEAL, 'models', ...args, '--url', api.url], {
      env: { ...process.env, KEY: api.key },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close') as Promise<[number]>;
    const [out, error] = await Promise.all(
      [child.stdout, child.stderr].map(async (stream) => Buffer.concat(await Array.fromAsync(stream)).toString()),
    );
    return { code: (await closed)[0], out: out!, error: error! };
  }

  it('promotes versions, rolls them back, and shows models', async () => {
    const inUse = async (...args: string[]) => JSON.parse((await anneal(...args, '--json')).out).version as number;
    expect(await inUse('promote', 'tickets', '2', '--reason', 'a better one')).toBe(2);
    expect(await inUse('rollback', 'tickets', '--reason', 'no better')).toBe(1);
    expect((await anneal('show', 'tickets')).out).toMatch(/1 +│ yes +│ anneal\/encoder-base-v1/);
    expect((await anneal('list', '--named')).out).toMatch(/tickets +│ 1 +│ anneal\/encoder-base-v1/);
    expect((await api.call('GET', '/models/tickets')).body.promotions[0]).toMatchObject({ reason: 'no better' });
  });

  it("prints the API's refusals", async () => {
    const missing = await anneal('show', 'none');
    expect([missing.code, missing.error]).toEqual([1, expect.stringContaining('does not exist')]);
    const improved = await anneal('improve', 'tickets');
    expect([improved.code, improved.error]).toEqual([1, expect.stringContaining('detail')]);
  });
});
