import { uploadDataset } from '#test/support/datasets.js';
import type { TestApi } from '#test/support/api.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { askTicket, endedDistillation, sorted, sortsTickets, TICKETS_PROMPT, tickets } from '#test/support/tickets.js';

const KNOWN = 10;
const MORE = 30;

describe('texts of a dataset that the teacher labels first', () => {
  let system: HostedApi;
  let api: TestApi;
  const ticket = tickets(4);
  const known = Array.from({ length: KNOWN }, () => ticket().text);
  const texts = Array.from({ length: MORE }, () => ticket().text);
  const dataset = { name: 'unlabelled-tickets' };
  /** More calls than there are would have to show it. */
  const order = { teacher: 'acme/chat', target_agreement: 0.98 };
  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    sortsTickets(system);
    for (const text of known) await askTicket(api, 'acme/chat', text, { max_tokens: 4 });
    await api.drained();
    const rows = [known[0]!.toUpperCase(), ...texts].map((text) => ({ text, label: 'unknown' }));
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    await uploadDataset(api, { dataset_name: dataset.name, dataset_type: 'classification', format: 'jsonl' }, lines);
  });
  afterAll(() => system.close());

  const distil = (label: object, more: object = {}) =>
    api.call('POST', '/models/tickets/distil', { ...order, ...more, label });
  const distilled = async (label: object, more: object = {}) => {
    const { status, body } = await distil(label, more);
    expect([status, body.status]).toEqual([200, 'labelling']);
    return endedDistillation(api, body.id);
  };
  /** The texts that the provider was asked about, oldest first, and each prompt. */
  const asked = (): readonly { readonly prompt: unknown; readonly text: unknown }[] =>
    system.openai.seen.map(({ body }) => {
      const [prompt, text] = (body.messages as readonly { readonly content: unknown }[]).map(({ content }) => content);
      return { prompt, text };
    });

  it('are asked about in its own prompt until the budget is reached, which is said, and then those that are left', async () => {
    const { body: few } = await api.call('POST', '/models/tickets/distil', order);
    const refused = await endedDistillation(api, few.id);
    expect(refused).toMatchObject({ status: 'refused', labelling: null });
    expect(refused.reason).toContain(`${KNOWN} calls to learn from`);
    expect(refused.reason).toContain('`label` has acme/chat asked about texts of a dataset first, within a budget');
    const before = asked().length;
    // Less than so many calls may cost at once, and more than most of them do cost.
    const budget = 0.002;
    const first = await distilled({ dataset, budget });
    const { labelling } = first;
    expect(labelling).toMatchObject({
      dataset_name: dataset.name,
      dataset_version: 1,
      budget,
      texts: MORE + 1,
      copies: 1,
    });
    expect(labelling.reason).toContain('the budget of this batch, $0.002, has');
    expect(labelling.labelled).toBeGreaterThan(10);
    expect(labelling.not_labelled).toBeGreaterThan(0);
    expect(labelling.labelled + labelling.not_labelled).toBe(MORE);
    const sent = asked().slice(before);
    expect(sent).toHaveLength(labelling.labelled);
    expect(sent.every(({ prompt, text }) => prompt === TICKETS_PROMPT && texts.includes(text as string))).toBe(true);
    expect(first.stages.slice(0, 2)).toMatchObject([{ stage: 'labelling' }, { stage: 'collecting' }]);
    expect(first.reason).toContain(`${KNOWN + labelling.labelled} calls to learn from`);
    const { body: batch } = await api.call('GET', `/v1/batches/${labelling.batch_id}`);
    expect(batch).toMatchObject({ status: 'failed', request_counts: { completed: labelling.labelled } });
    expect(batch.metadata).toMatchObject({ distillation: first.id });
    const { body: history } = await api.call('GET', `/inferences?limit=${labelling.labelled}`);
    const costs = (history.inferences as readonly { cost: number }[]).map(({ cost }) => cost);
    expect(costs).toHaveLength(labelling.labelled);
    expect(costs.every((cost) => cost > 0)).toBe(true);
    expect(costs.reduce((sum, cost) => sum + cost)).toBeLessThanOrEqual(budget);

    const second = await distilled({ dataset, budget: 1 }, { target_agreement: 0.8 });
    const rest = labelling.not_labelled;
    expect(second.labelling).toMatchObject({ copies: MORE + 1 - rest, labelled: rest, not_labelled: 0, reason: null });
    expect(second.calls).toMatchObject({ rows: KNOWN + MORE });
    expect(asked().slice(before).map(({ text }) => text).toSorted()).toEqual(texts.toSorted()); // prettier-ignore
    const third = await distilled({ dataset, budget: 1 });
    expect(third.labelling).toMatchObject({
      batch_id: null,
      copies: MORE + 1,
      labelled: 0,
      not_labelled: 0,
      reason: null,
    });
    expect(asked()).toHaveLength(before + MORE);
  });

  it('are asked about no more when the distillation is cancelled', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    system.openai.script(async (response, request) => {
      await released;
      return sorted(response, request);
    });
    const many = Array.from({ length: 40 }, () => JSON.stringify({ text: ticket().text, label: 'unknown' }));
    await uploadDataset(api, { dataset_name: 'late-tickets', dataset_type: 'classification', format: 'jsonl' }, many.join('\n')); // prettier-ignore
    const { body } = await distil({ dataset: { name: 'late-tickets' }, budget: 1 });
    const begun = await api.until(
      () => api.call('GET', `/distillations/${body.id}`),
      (answer) => answer.body.labelling.batch_id !== null,
    );
    const cancelled = await api.call('POST', `/distillations/${body.id}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', labelling: { labelled: null } });
    release();
    const { body: batch } = await api.until(
      () => api.call('GET', `/v1/batches/${begun.body.labelling.batch_id}`),
      (answer) => answer.body.status === 'cancelled',
    );
    expect(batch.request_counts.failed).toBeGreaterThan(0);
  });

  it('are of the own workspace', async () => {
    const { key } = await api.colleague();
    const headers = { authorization: `Bearer ${key}` };
    const label = { dataset, budget: 1 };
    const { status, body } = await api.call('POST', '/models/tickets/distil', { ...order, label }, headers);
    expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining(dataset.name)]);
  });

  it.each([
    ['dataset', { dataset: { name: 'nowhere' }, budget: 1 }, {}, 404, 'nowhere'],
    ['budget', { dataset, budget: 0 }, {}, 422, 'budget'],
    ['calls that are not the teacher', { dataset, budget: 1 }, { from: { model: 'other' } }, 422, 'from.model'],
    ['time that has passed', { dataset, budget: 1 }, { from: { until: '2031-01-01T00:00:00Z' } }, 422, 'from.until'],
  ])('are refused with a wrong %s', async (_, label, more, status, said) => {
    const refused = await distil(label, more);
    expect(refused.status).toBe(status);
    expect(JSON.stringify(refused.body)).toContain(said);
  });
});
