import type { TestApi } from '#test/support/api.js';
import { settled } from '#test/support/datasets.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { answers } from '#test/support/scripted-answers.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { askTicket, endedDistillation, sortsTickets, tickets } from '#test/support/tickets.js';

const CALLS = 60;
const AT_ONCE = 20;
const ORDER = { teacher: 'acme/chat', target_agreement: 0.8, audit_share: 0 };
const CORRECTED = 'Hello, please look at the invoice of order 9001. Thanks!';

describe('a name that was distilled', () => {
  let system: HostedApi;
  let api: TestApi;
  let since: string;
  let webhook: string;
  const ticket = tickets(39);
  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    sortsTickets(system);
    since = new Date(Date.now() - 60_000).toISOString();
    for (let at = 0; at < CALLS; at += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => askTicket(api, 'acme/chat', ticket().text)));
    await api.drained();
    const hook = { url: 'https://hooks.invalid/distillations', types: ['distillation.ended'] };
    webhook = (await api.call('POST', '/webhooks', hook)).body.id;
  });
  afterAll(() => system.close());

  const distil = async (more: object = {}) =>
    (await api.call('POST', '/models/tickets/distil', { ...ORDER, from: { since }, ...more })).body;
  const newest = async () => (await api.call('GET', '/models/tickets/distillations?limit=1')).body.distillations[0];
  /** A person corrects an answer that the teacher got wrong. */
  const correct = async (text: string): Promise<void> => {
    system.openai.script(answers('account'));
    const { body } = await askTicket(api, 'tickets', text);
    sortsTickets(system);
    await api.drained();
    const verdict = { verdict: 'incorrect', corrected_output: 'billing' };
    expect((await api.call('POST', `/inferences/${body.x_pioneer.inference_id}/feedback`, verdict)).status).toBe(200);
  };
  const rowsOf = async ({
    dataset_name: name,
    dataset_version: version,
  }: {
    dataset_name: string;
    dataset_version: number;
  }) => {
    const headers = { 'x-api-key': api.key };
    const file = await fetch(`${api.url}/felix/datasets/${name}/${version}/download?format=jsonl`, { headers });
    const lines = (await file.text()).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as { readonly text: string; readonly label: string });
  };

  it('leaves a dataset that is read, and nothing in use, where it is cancelled', async () => {
    const { id } = await distil();
    const { body: begun } = await api.until(
      () => api.call('GET', `/distillations/${id}`),
      ({ body }) => body.dataset_name !== null,
    );
    expect((await api.call('POST', `/distillations/${id}/cancel`)).status).toBe(200);
    const version = await settled(api, `/felix/datasets/${begun.dataset_name}/${begun.dataset_version}`);
    expect(version).toMatchObject({ status: 'ready', sample_size: CALLS });
    expect(await endedDistillation(api, id)).toMatchObject({ status: 'cancelled', version: null });
    expect((await api.call('GET', '/models/tickets')).body.version).toBeNull();
  });

  it('learns the answer of a person, as its policy asks for after so many corrections', async () => {
    const { id } = await distil();
    const first = await endedDistillation(api, id);
    expect(first).toMatchObject({ status: 'in_use', version: 1, trigger: 'request' });
    const { cascade } = (await api.call('PUT', '/models/tickets/policy', {})).body;
    const policy = { improve_after_corrections: 1, on_pass: 'promote', max_runs: 3 };
    const kept = { ...cascade, teacher_down: 'student' };
    await api.call('PUT', '/models/tickets/policy', { ...policy, cascade: kept });
    await correct(CORRECTED);
    await api.until(newest, ({ trigger }) => trigger === 'corrections');
    const again = await endedDistillation(api, (await newest()).id);
    expect(again).toMatchObject({
      ...{ status: 'in_use', version: 2, reason: null, trigger: 'corrections', target_agreement: 0.8 },
      ...{ teacher: 'acme/chat', since, until: null, task: first.task, calls: { rows: CALLS + 1 } },
    });
    const rows = await rowsOf(again);
    expect(rows.find(({ text }) => text === CORRECTED)).toMatchObject({ label: 'billing' });
    const { body: model } = await api.call('GET', '/models/tickets');
    expect(model).toMatchObject({ version: 2, policy: { ...policy, cascade: kept } });
    const [promotion] = model.promotions;
    expect(promotion).toMatchObject({ version: 2, previous: 1, reason: `distillation ${again.id} of acme/chat` });
  });

  it('is distilled no more often than its policy allows, whoever asks', async () => {
    const { status, body } = await api.call('POST', '/models/tickets/distil', ORDER);
    expect([status, body.detail]).toEqual([
      409,
      'model tickets was distilled 3 times within 7 days, the most that its policy allows',
    ]);
  });

  it('says why its policy cannot have it distilled', async () => {
    const asPerson = { authorization: `Bearer ${api.session}` };
    const key = (await api.call('POST', '/create-api-key', { name: 'policy' }, asPerson)).body;
    const policy = { improve_after_corrections: 1 };
    const set = await api.call('PUT', '/models/tickets/policy', policy, { 'x-api-key': key.secret_key });
    expect(set.status).toBe(200);
    const limits = { key_id: key.id, models: ['anneal/*'] };
    expect((await api.call('PATCH', '/limit-api-key', limits, asPerson)).status).toBe(200);
    const { id: before } = await newest();
    await correct('Hello, please look at the invoice of order 9002. Thanks!');
    await api.until(newest, ({ id }) => id !== before);
    const refused = await endedDistillation(api, (await newest()).id);
    expect(refused).toMatchObject({ status: 'refused', trigger: 'corrections', version: null });
    expect(refused.reason).toMatch(/^learning from the calls was refused: .*acme\/chat/);
  });

  it('tells webhooks and reports of its distillations', async () => {
    const { deliveries } = (await api.call('GET', `/webhooks/${webhook}/deliveries`)).body;
    expect(deliveries.map(({ data }: { data: { status: string } }) => data.status).toReversed()).toEqual([
      ...['cancelled', 'in_use', 'in_use', 'refused'],
    ]);
    const card = await fetch(`${api.url}/audit/report?kind=card&model=tickets&format=markdown`, {
      headers: { 'x-api-key': api.key },
    });
    const said = await card.text();
    expect(said).toMatch(/distillation [-\w]+ of acme\/chat for an agreement of 0\.8 began \(corrections\)/);
    expect(said).toMatch(/distillation [-\w]+ ended: in\\?_use, version 2/);
  });
});
