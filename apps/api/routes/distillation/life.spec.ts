import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anotherApi } from '#test/support/another-api.js';
import type { TestApi } from '#test/support/api.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { answers } from '#test/support/scripted-answers.js';
import { refuses } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import {
  askTicket,
  endedDistillation,
  sortsTickets,
  SURE_TICKET,
  TICKETS_PROMPT,
  tickets,
} from '#test/support/tickets.js';

const CALLS = 80;
const AT_ONCE = 20;
const WATCHED = 200;
/** Unlike all that was learned. */
const FOREIGN = 'Здравствуйте, где моя посылка? Спасибо!';
/** Calls that speak against the target. */
const AGAINST = 60;

interface Priced {
  readonly cost: number;
  readonly cascade?: { readonly by: string };
}

describe('a distilled name in use', () => {
  let system: HostedApi;
  let api: TestApi;
  let webhook: string;
  const ticket = tickets(5);
  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    sortsTickets(system);
    const hook = { url: 'https://hooks.invalid/names', types: ['cascade.returned', 'model.rolled_back'] };
    webhook = (await api.call('POST', '/webhooks', hook)).body.id;
    await asked('acme/chat', CALLS);
    await api.call('POST', '/models', { name: 'tickets' });
    await api.call('POST', '/models/tickets/versions', { model_id: 'acme/chat' });
    await api.call('PUT', '/models/tickets/versions/1/promote', { reason: 'as before' });
    expect(await distilled(0.8)).toMatchObject({ status: 'in_use', version: 2 });
    await asked('tickets', WATCHED);
    await opened();
  });
  afterAll(() => system.close());

  const asked = async (model: string, calls: number) => {
    for (let at = 0; at < calls; at += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => askTicket(api, model, ticket().text)));
    await api.drained();
  };
  const distilled = async (target_agreement: number) => {
    const order = { teacher: 'acme/chat', target_agreement, audit_share: 0 };
    return endedDistillation(api, (await api.call('POST', '/models/tickets/distil', order)).body.id);
  };
  const newest = async () => (await api.call('GET', '/models/tickets/distillations?limit=1')).body.distillations[0];
  const opened = () => api.until(newest, ({ cascade }) => cascade.state === 'open');
  const cascade = (more: object = {}) =>
    api.call('PUT', '/models/tickets/policy', {
      cascade: { to: 'acme/chat', target_agreement: 0.8, audit_share: 0, ...more },
    });
  const by = ({ headers }: { readonly headers: Headers }) => headers.get('x-anneal-answered-by')?.replace(/; certainty.*/, ''); // prettier-ignore
  const deliveries = async (type: string): Promise<readonly object[]> => {
    const { body } = await api.call('GET', `/webhooks/${webhook}/deliveries`);
    return (body.deliveries as { type: string; data: object }[]).filter((each) => each.type === type).map(({ data }) => data); // prettier-ignore
  };

  describe('whose teacher is gone', () => {
    afterAll(async () => {
      sortsTickets(system);
      await cascade();
    });

    it('is answered by the student where its policy says so, when the provider refuses the key', async () => {
      system.openai.script(refuses(401, 'this key was deleted'));
      expect(by(await askTicket(api, 'tickets', SURE_TICKET))).toBe('student; reason=sure');
      expect((await askTicket(api, 'tickets', FOREIGN)).status).toBe(503);
      await cascade({ teacher_down: 'student' });
      expect(by(await askTicket(api, 'tickets', FOREIGN))).toBe('student; reason=teacher_failed');
    });

    it('says so in every route, when the catalog has it no more', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'gone-'));
      const catalog = JSON.parse(await readFile(api.settings.modelCatalog!, 'utf8')) as { models: { id: string }[] };
      const models = catalog.models.filter(({ id }) => id !== 'acme/chat');
      await writeFile(join(folder, 'catalog.json'), JSON.stringify({ ...catalog, models }));
      const other = await anotherApi(api, { modelCatalog: join(folder, 'catalog.json') });
      try {
        const ask = (text: string, more: object = {}) => askTicket(other, 'tickets', text, more);
        expect(by(await ask(SURE_TICKET))).toBe('student; reason=sure');
        expect(by(await ask(SURE_TICKET, { stream: true }))).toBe('student; reason=sure');
        expect(by(await ask(FOREIGN))).toBe('student; reason=teacher_failed');
        const kept = (await api.call('GET', '/models/tickets')).body.policy;
        await cascade({ teacher_down: 'fail' });
        const failed = await api.until(
          () => ask(FOREIGN),
          ({ status }) => status !== 200,
        );
        expect([failed.status, failed.body.error.message]).toEqual([
          503,
          'acme/chat, the teacher of model tickets, is not in the catalog: set its provider up again, or name another one as `cascade.to` of PUT /models/tickets/policy',
        ]);
        const text = [{ role: 'user', content: SURE_TICKET }];
        const counted = { model: 'tickets', system: TICKETS_PROMPT, messages: text };
        const native = {
          model_id: 'tickets',
          task: 'generate',
          messages: [{ role: 'user', content: 'What is a parcel?' }],
        };
        const sent: readonly (readonly [string, string, object | undefined, number])[] = [
          ['POST', '/v1/messages/count_tokens', counted, 200],
          ['POST', '/inference', native, 503],
          ['POST', '/inference', { model_id: 'tickets', text: SURE_TICKET }, 200],
          ['POST', '/models/tickets/distil', { teacher: 'acme/chat' }, 422],
          ['PUT', '/models/tickets/policy', { cascade: kept.cascade }, 422],
          ['GET', '/models/tickets/savings', undefined, 200],
          ['GET', '/models/tickets/distillations', undefined, 200],
          ['GET', '/models/tickets', undefined, 200],
          ['GET', '/distillable', undefined, 200],
        ];
        for (const [method, path, body, status] of sent)
          expect([path, (await other.call(method, path, body)).status]).toEqual([path, status]);
      } finally {
        await other.close();
        await rm(folder, { recursive: true });
      }
    });
  });

  it('costs what its bills say to the picodollar: calls, streams, shadows and audits', async () => {
    await cascade({ audit_share: 1 });
    expect((await api.call('PUT', '/models/tickets/shadow', { version: 1 })).status).toBe(200);
    const audited = async () => (await api.call('GET', '/models/tickets/savings')).body.audited as number;
    const before = await audited();
    for (const more of [{}, { stream: true, stream_options: { include_usage: true } }, { max_tokens: 9 }])
      expect(by(await askTicket(api, 'tickets', SURE_TICKET, more))).toBe('student; reason=sure');
    expect(by(await askTicket(api, 'tickets', FOREIGN, { stream: true }))).toBe('teacher; reason=unlike');
    await api.until(audited, (calls) => calls === before + 3);
    await api.until(
      () => api.call('GET', '/inferences?shadow=true&model_id=tickets@1'),
      ({ body }) => body.total === 4,
    );
    await api.call('PUT', '/models/tickets/shadow', { version: null });
    const priced = async (query: string): Promise<readonly Priced[]> => {
      const headers = { 'x-api-key': api.key };
      const file = await fetch(`${api.url}/inferences/export?format=jsonl${query}`, { headers });
      return (await file.text()).trim().split('\n').map((line) => JSON.parse(line) as Priced); // prettier-ignore
    };
    const all = [...(await priced('&shadow=false')), ...(await priced('&shadow=true'))];
    const sum = (calls: readonly Pick<Priced, 'cost'>[]) =>
      calls.reduce((total, { cost }) => total + BigInt(Math.round(cost * 1e12)), 0n);
    const { usage } = (await api.call('GET', '/account/usage')).body;
    expect(sum(usage)).toBe(sum(all));
    const savings = (await api.call('GET', '/models/tickets/savings')).body;
    expect(BigInt(savings.cost_picodollars)).toBe(sum(all.filter((call) => call.cascade)));
  });

  it('gives all calls back when its bound is broken, tells of it, and takes a better student later', async () => {
    await cascade({ audit_share: 1 });
    const { id, stream } = await newest();
    system.openai.script(answers('account'));
    for (let at = 0; at < AGAINST; at += 1) await askTicket(api, 'tickets', SURE_TICKET.replace('4711', `${at}`));
    const { cascade: broken } = await api.until(newest, (each) => each.cascade.state === 'returned');
    sortsTickets(system);
    const { events } = (await api.call('GET', `/events?stream=${stream}&limit=1000`)).body;
    const told = (events as { type: string; data: object }[]).filter(({ type }) => type === 'cascade-returned.v1');
    expect(told.map(({ data }) => data)).toEqual([
      expect.objectContaining({ distillationId: id, reason: broken.reason }),
    ]);
    expect(
      await api.until(
        () => deliveries('cascade.returned'),
        ({ length }) => length > 0,
      ),
    ).toEqual([
      { distillation_id: id, reason: broken.reason, audited: expect.any(Number), disagreements: expect.any(Number) },
    ]);
    expect(by(await askTicket(api, 'tickets', SURE_TICKET))).toBe('teacher; reason=returned');

    const better = await distilled(0.5);
    expect(better).toMatchObject({ status: 'candidate', version: 3, cascade: { state: 'watching' } });
    expect(by(await askTicket(api, 'tickets', SURE_TICKET))).toBe('teacher; reason=returned');
    const promoted = await api.call('PUT', '/models/tickets/versions/3/promote', { reason: 'it learned what changed' });
    expect(promoted.status).toBe(200);
    expect(by(await askTicket(api, 'tickets', SURE_TICKET))).toBe('teacher; reason=watching');
  });

  it('is rolled back for answers that people correct, whoever gave them', async () => {
    const policy = { rollback_max_disagreement: 0.5, rollback_min_calls: 2 };
    expect((await api.call('PUT', '/models/tickets/policy', policy)).status).toBe(200);
    for (let at = 0; at < 2; at += 1) {
      const { body } = await askTicket(api, 'tickets', ticket().text);
      await api.drained();
      const verdict = { verdict: 'incorrect', corrected_output: 'none of them' };
      expect((await api.call('POST', `/inferences/${body.x_pioneer.inference_id}/feedback`, verdict)).status).toBe(200);
    }
    const { body } = await api.until(
      () => api.call('GET', '/models/tickets'),
      (answer) => answer.body.version !== 3,
    );
    expect(body.promotions[0]).toMatchObject({
      ...{ version: 2, previous: 3, rollback: true },
      reason: '2 of its 2 reviewed answers were corrected, more than 50%',
    });
    expect(
      await api.until(
        () => deliveries('model.rolled_back'),
        ({ length }) => length > 0,
      ),
    ).toEqual([{ model_name: 'tickets', version: 2, previous_version: 3 }]);
    expect(by(await askTicket(api, 'tickets', SURE_TICKET))).toBe('teacher; reason=returned');
  });
});
