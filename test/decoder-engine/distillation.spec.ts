import type { TestApi } from '#test/support/api.js';
import { answers } from '#test/support/scripted-answers.js';
import type { ScriptedProvider } from '#test/support/scripted-provider.js';
import { endedDistillation, tickets } from '#test/support/tickets.js';
import { CHAT } from './catalog.js';
import { startParrotsAndHosted } from './hosted.js';

const PROMPT = 'You answer the mails of a shop. Write one friendly sentence that says what happens next.';
const reply = (text: string) =>
  `Thank you for writing to us: somebody who knows about this will look at "${text.slice(0, 60)}" before the evening, and answer you.`;

describe('a prompt with free text as its answers', () => {
  let api: TestApi;
  let provider: ScriptedProvider;
  const texts = Array.from({ length: 40 }, tickets(11)).map(({ text }) => text);

  beforeAll(async () => {
    ({ api, provider } = await startParrotsAndHosted());
    provider.script((response, request) => answers(reply(request.body.messages.at(-1).content))(response, request));
    for (const text of texts) await ask('acme/chat', text);
    await api.drained();
  });
  afterAll(() => api.close());

  const ask = (model: string, text: string) =>
    api.call('POST', '/v1/chat/completions', {
      model,
      messages: [
        { role: 'system', content: PROMPT },
        { role: 'user', content: text },
      ],
    });
  const distil = (name: string, more: object) =>
    api.call('POST', `/models/${name}/distil`, { teacher: 'acme/chat', ...more });

  it('is refused if `base_model` is no language model, and the refusal says what to send', async () => {
    const { tasks } = (await api.call('GET', '/distillable')).body;
    expect(tasks).toMatchObject([{ calls: 40, form: 'text', suitable: 'no' }]);
    expect(tasks[0].doubts[0].code).toBe('free_text');
    const { body } = await distil('mails-by-labels', { task: tasks[0].id });
    expect(await endedDistillation(api, body.id)).toMatchObject({
      ...{ status: 'refused', version: null, task_type: 'encoder' },
      reason: expect.stringMatching(/name one that can be trained as `base_model`/),
    });
  });

  it('becomes a language model, which is in use where nothing was, and asks no teacher', async () => {
    const { status, body } = await distil('mails', { base_model: CHAT });
    expect([status, body.task_type, body.cascade]).toEqual([200, 'decoder', null]);
    expect(await endedDistillation(api, body.id)).toMatchObject({
      ...{ status: 'in_use', version: 1, reason: null, base_model: CHAT, share: null, bound: null, cascade: null },
      calls: { read: 40, of_task: 40, not_mapped: 0, copies: 0, rows: 40 },
    });
    const before = provider.seen.length;
    const answered = await Promise.all(texts.map((text) => ask('mails', text)));
    const said = answered.map(({ body: { choices } }) => choices[0].message.content);
    // A tenth is held out of training, and is repeated.
    expect(said.filter((answer, at) => answer === reply(texts[at]!)).length).toBeGreaterThanOrEqual(30);
    expect(answered[0]!.headers.get('x-anneal-answered-by')).toBeNull();
    expect(provider.seen).toHaveLength(before);
    const { body: lineage } = await api.call('GET', `/felix/datasets/mails-distilled/latest`);
    expect(lineage).toMatchObject({ dataset_type: 'decoder', generation_type: 'distilled', status: 'ready' });
  });

  it('becomes a candidate if another version is in use', async () => {
    const { body } = await distil('mails', { base_model: CHAT });
    expect(await endedDistillation(api, body.id)).toMatchObject({
      ...{ status: 'candidate', version: 2, reason: expect.stringMatching(/version 1 is in use; promote mails@2/) },
    });
  });

  it.each([
    ['target_agreement', 0.9],
    ['audit_share', 0.1],
    ['unmapped', 'refuse'],
    ['heads', [{ path: '$', kind: 'class' }]],
  ])('has no bound: %s is refused by name', async (field, value) => {
    const { status, body } = await distil('mails', { base_model: CHAT, [field]: value });
    expect([status, body.errors[0].loc]).toEqual([422, ['body', field]]);
  });
});
