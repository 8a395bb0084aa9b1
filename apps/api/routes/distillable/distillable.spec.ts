import type { TestApi } from '#test/support/api.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { answers } from '#test/support/scripted-answers.js';
import type { Act } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

const PRODUCTS = ['lamp', 'chair', 'table', 'kettle', 'router', 'phone', 'tent', 'bike'];
const WHEN = ['today', 'yesterday', 'on Monday', 'last week', 'twice now', 'again', 'this morning', 'in May'];
/** What is said to have happened, and the queue that a mail about it goes to. */
const QUEUES = [
  ['The card was charged for', 'billing'],
  ['The parcel never came with', 'delivery'],
  ['The password is lost for', 'account'],
] as const;

/** Texts of which no two are alike, and the queue of each. */
const mail = (at: number) => {
  const [happened, queue] = QUEUES[at % QUEUES.length]!;
  const [product, when] = [PRODUCTS[at % PRODUCTS.length]!, WHEN[Math.floor(at / PRODUCTS.length) % WHEN.length]!];
  return { text: `${happened} the ${product} ${when}, order ${1_000 + at * 7}`, queue };
};

const SORT = 'You sort the mails of a shop. Answer with the queue alone: billing, delivery or account.';
const FACTS = 'Read a mail to a shop. Answer as JSON with the keys urgent and summary, on one line.';
const REPLY = 'You write friendly letters to customers of a shop. Write a letter about what follows.';

describe('tasks that could be distilled', () => {
  let system: HostedApi;
  let api: TestApi;
  let projectId: string;

  /** Answers a request by what its last message says. */
  const by =
    (answerTo: (text: string) => string): Act =>
    (response, request) =>
      answers(answerTo((request.body as { messages: { content: string }[] }).messages.at(-1)!.content), {
        usage: { prompt_tokens: 100, completion_tokens: 5 },
      })(response, request);
  const ask = async (count: number, instruction: string, text: (at: number) => string, more: object = {}) => {
    for (let at = 0; at < count; at += 1) {
      const messages = [
        { role: 'system', content: instruction },
        { role: 'user', content: text(at) },
      ];
      const sent = { model: 'acme/chat', messages, project_id: projectId, ...more };
      expect((await api.call('POST', '/v1/chat/completions', sent)).status).toBe(200);
    }
  };
  const list = async (query: string, headers?: Record<string, string>) => {
    await api.drained();
    return api.call('GET', `/distillable${query}`, undefined, headers);
  };

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    projectId = (await api.call('POST', '/projects', { name: 'distillable' })).body.id;
    const queueIn = (text: string) => QUEUES.find(([happened]) => text.includes(happened))![1];
    system.openai.script(by(queueIn));
    await ask(75, SORT, (at) => mail(at).text);
    system.openai.script(by((text) => `Dear customer, we read: ${text}. ${text.length} thanks, your shop.`));
    await ask(15, REPLY, (at) => mail(at + 100).text);
    system.openai.script(
      by((text) => JSON.stringify({ urgent: text.includes('charged'), summary: `about ${text.length * 31}` })),
    );
    await ask(12, FACTS, (at) => mail(at + 150).text);
    system.openai.script(by(() => 'yes'));
    await ask(3, 'Is this mail in English? Answer yes or no, and nothing else.', (at) => mail(at + 200).text);
    await ask(2, SORT, (at) => mail(at + 300).text, { store: false });
  });
  afterAll(() => system.close());

  it('are found without being told, with what they cost and whether a small model can do them', async () => {
    const { status, body } = await list(`?project_id=${projectId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ left_out: { not_kept: null, erased: 0, failed: 0, disputed: 0 }, limit: null, content_withheld: false },
      from: body.tasks.map((task: { first_call_at: string }) => task.first_call_at).sort()[0],
    });
    const [sort, reply, facts] = body.tasks;
    expect(body.tasks).toHaveLength(3);
    expect(sort).toMatchObject({
      ...{ id: expect.stringMatching(/^[0-9a-f]{16}$/), model: 'acme/chat', calls: 75, tokens: 75 * 105 },
      ...{ cost: expect.closeTo((75 * (100 * 2 + 5 * 8)) / 1e6, 9), form: 'label', has_schema: false },
      ...{ distinct_calls: 75, self_agreement: null, suitable: 'yes', doubts: [], no_estimate_because: null },
      ...{ prompt: `${SORT}\n{text}`, heads: [{ path: 'label', kind: 'class', choices: ['class'] }] },
      estimate: { judged_calls: 75, agreement: expect.any(Number), guessed: expect.closeTo(1 / 3, 9) },
    });
    // A day is the least that a month is told from.
    expect(sort.cost_a_month).toBeCloseTo(sort.cost * 30, 9);
    expect([...sort.heads[0].labels].sort()).toEqual(['account', 'billing', 'delivery']);
    expect(sort.estimate.agreement).toBeGreaterThan(0.9);
    expect(sort.estimate.shares.map((each: { target_agreement: number }) => each.target_agreement)).toEqual([
      0.92, 0.95,
    ]);
    expect(reply).toMatchObject({
      ...{ calls: 15, form: 'text', suitable: 'no', heads: null, estimate: null },
      no_estimate_because: expect.stringContaining('not of a form'),
    });
    expect(reply.doubts.map(({ code }: { code: string }) => code)).toEqual(['free_text']);
    expect(reply.doubts[0].message).not.toMatch(/dear customer/i);
    expect(facts).toMatchObject({
      ...{
        calls: 12,
        form: 'json',
        suitable: 'no',
        heads: [
          { path: 'urgent', kind: 'class' },
          { path: 'summary', kind: 'null' },
        ],
        estimate: null,
      },
      doubts: [
        { code: 'unmapped_fields', fields: [{ path: 'summary', reason: expect.stringContaining('do not stand in') }] },
        { code: 'too_few_calls', missing_calls: 59 - 12, message: expect.stringContaining('47 more calls') },
      ],
    });
    expect(body.refused).toEqual([expect.objectContaining({ reason: 'too few calls', calls: 3, model: 'acme/chat' })]);
  });

  it('are those of a model, and of calls since a time', async () => {
    const all = (await list(`?model=acme/chat&project_id=${projectId}`)).body;
    expect(all.tasks).toHaveLength(3);
    expect((await list(`?model=acme/claude&project_id=${projectId}`)).body).toMatchObject({ tasks: [], from: null });
    const since = all.tasks[1].first_call_at;
    const later = (await list(`?project_id=${projectId}&since=${since}`)).body;
    expect(later).toMatchObject({ from: since, tasks: [{ calls: 15, form: 'text' }, { form: 'json' }] });
    expect((await list('')).body.left_out.not_kept).toBe(2);
  });

  it('show nothing of contents to who may not see them', async () => {
    const made = await api.call(
      'POST',
      '/create-api-key',
      { name: 'figures', scopes: ['history'] },
      { authorization: `Bearer ${api.session}` },
    );
    const { status, body } = await list('', { 'x-api-key': made.body.secret_key as string });
    expect(status).toBe(200);
    expect(body.content_withheld).toBe(true);
    expect(body.tasks).toHaveLength(3);
    expect(JSON.stringify(body)).not.toMatch(/shop|mails|billing|friendly|urgent|summary/);
  });

  it('are of one workspace', async () => {
    const other = (await sharedHostedApi()).api;
    expect((await other.call('GET', '/distillable')).body).toMatchObject({ tasks: [], refused: [] });
    const theirs = await other.call('GET', `/distillable?project_id=${projectId}`);
    expect([theirs.status, JSON.stringify(theirs.body)]).toEqual([404, expect.stringContaining('project')]);
  });

  it.each([
    ['since=yesterday', 400, 'since'],
    ['until=2026-01-01T00:00:00Z', 422, 'until'],
  ])('refuse %s with %d, naming the parameter', async (query, expected, named) => {
    const { status, body } = await list(`?${query}`);
    expect([status, JSON.stringify(body)]).toEqual([expected, expect.stringContaining(named)]);
  });
});
