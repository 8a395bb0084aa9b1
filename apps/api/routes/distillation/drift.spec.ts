import type { TestApi } from '#test/support/api.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { answers } from '#test/support/scripted-answers.js';
import { askTicket, endedDistillation, queueOf, SURE_TICKET, tickets } from '#test/support/tickets.js';

const LEARNED = 240;
/** All of them are the teacher's, and as many as are compared. */
const USUAL = 200;
const OTHER = 240;
const AT_ONCE = 20;
const stable = { psi: expect.any(Number), band: 'stable' };
const major = { psi: expect.any(Number), band: 'major' };

describe('drift of a distilled name', () => {
  let system: HostedApi;
  let api: TestApi;
  const ticket = tickets(39);
  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    // In both periods one answer in 25 is none of the labels.
    system.openai.script((response, request) => {
      const text = request.body.messages.at(-1).content as string;
      const order = Number(/order (\d+)/.exec(text)?.[1] ?? 1);
      return answers(order % 25 === 0 ? `It depends on ${order}` : queueOf(text))(response, request);
    });
    await asked('acme/chat', LEARNED, usual);
    const order = { teacher: 'acme/chat', target_agreement: 0.8, audit_share: 0 };
    const { body } = await api.call('POST', '/models/tickets/distil', order);
    expect(await endedDistillation(api, body.id)).toMatchObject({ status: 'in_use', version: 1 });
  });
  afterAll(() => system.close());

  const usual = () => ticket().text;
  const other = (number: number) =>
    `Subject: complaint ${number}. Nobody at your warehouse could tell me yesterday evening where the courier had left my broken lamp, which I need again`;
  const asked = async (model: string, calls: number, text: (number: number) => string) => {
    for (let at = 0; at < calls; at += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => askTicket(api, model, text(at + more))));
    await api.drained();
  };
  const weeks = async () => (await api.call('GET', '/models/tickets/drift')).body.weeks;
  const newest = async () => (await api.call('GET', '/models/tickets/distillations?limit=1')).body.distillations[0];
  const policy = (more: object) =>
    api.call('PUT', '/models/tickets/policy', {
      cascade: { to: 'acme/chat', target_agreement: 0.8, audit_share: 0 },
      ...more,
    });

  it('is absent while the texts in its prompts, and their answers, are like those that it learned', async () => {
    await asked('tickets', USUAL, usual);
    const share = { share: expect.any(Number), training_share: expect.any(Number) };
    expect(await weeks()).toEqual([
      expect.objectContaining({
        ...{ calls: USUAL, texts: USUAL, no_label_share: 0, other_labels_share: 0.04 },
        labels: expect.arrayContaining(['billing', 'shipping', 'account'].map((label) => ({ label, ...share }))),
        against: {
          training: { labels: stable, confidence: null, length: stable, unseen_words: stable },
          previous_week: null,
        },
      }),
    ]);
  });

  it('counts a call once, whoever answers it, in whatever dialect, and none with another prompt or without content', async () => {
    const [{ calls }] = await weeks();
    await api.until(newest, ({ cascade }) => cascade.state === 'open');
    await policy({ cascade: { to: 'acme/chat', target_agreement: 0.8, audit_share: 1 } });
    const sure = await askTicket(api, 'tickets', SURE_TICKET);
    expect(sure.headers.get('x-anneal-answered-by')).toMatch(/^student; reason=sure/);
    const unlike = await askTicket(api, 'tickets', 'Здравствуйте, где моя посылка? Спасибо!', { stream: true });
    expect(unlike.headers.get('x-anneal-answered-by')).toMatch(/^teacher; reason=unlike/);
    await askTicket(api, 'tickets', SURE_TICKET, { store: false });
    const messages = [{ role: 'user', content: 'What is a parcel?' }];
    expect((await api.call('POST', '/v1/chat/completions', { model: 'tickets', messages })).status).toBe(200);
    await api.until(
      async () => (await api.call('GET', '/models/tickets/savings')).body.audited,
      (audited) => audited === 2,
    );
    await api.drained();
    expect(await weeks()).toMatchObject([{ calls: calls + 2, texts: calls + 2 }]);
    await policy({});
  });

  it('keeps its counts when a call is erased, and nothing of what the call said', async () => {
    const before = await weeks();
    const { body } = await askTicket(api, 'tickets', usual());
    const id = body.x_pioneer.inference_id as string;
    await api.drained();
    const onLog = async () => {
      const types = ['call-metered.v1', 'call-content.v1'];
      const events = await Array.fromAsync(api.application.ports.eventStore.readAll({ filter: { types } }));
      return events.filter(({ data }) => data['inferenceId'] === id && data['asRow'] !== undefined);
    };
    expect(await onLog()).toHaveLength(1);
    expect((await api.call('DELETE', `/inferences/${id}`)).status).toBe(200);
    expect(await onLog()).toEqual([]);
    expect(await weeks()).toMatchObject([{ calls: before[0].calls + 1 }]);
  });

  it('is detected when the texts are of another kind, and reported by event and webhook', async () => {
    const hook = { url: 'https://hooks.invalid/drift', types: ['drift'] };
    const { id } = (await api.call('POST', '/webhooks', hook)).body;
    await asked('tickets', OTHER, other);
    const [{ week, unseen_words, against }] = await weeks();
    expect(unseen_words).toBeGreaterThan(0.3);
    expect(against.training).toEqual({ labels: major, confidence: null, length: major, unseen_words: major });

    expect((await policy({ drift_psi: 0.25 })).status).toBe(200);
    const deliveries = await api.until(
      async () => (await api.call('GET', `/webhooks/${id}/deliveries`)).body.deliveries as { readonly data: object }[],
      ({ length }) => length === 3,
    );
    const told = ['labels', 'length', 'unseen_words'].map((measure) => ({
      ...{ model_name: 'tickets', version: 1, week, measure },
      ...{ against: 'training', psi: against.training[measure].psi },
    }));
    expect(deliveries.map(({ data }) => data).toSorted(byMeasure)).toEqual(told);
  });
});

const byMeasure = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
