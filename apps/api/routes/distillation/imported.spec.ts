import { randomNumbers } from '#primitives/random-numbers.js';
import type { TestApi } from '#test/support/api.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { answers } from '#test/support/scripted-answers.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

const PROBLEMS = {
  hardware: ['screen', 'keyboard', 'battery', 'charger', 'camera'],
  software: ['browser', 'update', 'login page', 'calendar', 'printer driver'],
} as const;
type Kind = keyof typeof PROBLEMS;
const OPENINGS = ['Hello,', 'Good morning,', 'Dear desk,', 'Hi all,', 'To the help desk:'];
const MIDDLES = ['something is wrong with the', 'please look at the', 'I have trouble with the', 'nobody can use the'];
const ENDS = ['of my laptop.', 'since today.', 'in room 4.', 'after lunch.', 'for the second time.'];

const SYSTEM =
  'You read mails to a help desk. Answer as JSON. hardware: things that can be touched; software: programs and pages.';
const FORMAT = {
  type: 'json_schema',
  json_schema: {
    name: 'ticket',
    schema: {
      type: 'object',
      properties: { kind: { enum: ['hardware', 'software'] }, ticket: { type: 'string' }, note: { type: 'string' } },
    },
  },
};
/** The model of the file, of which nothing is configured here. */
const THEIRS = 'gpt-4o-mini-2024-07-18';

/** Enough for the target, and soon learned. */
const CALLS = 80;
const AT_ONCE = 20;

const random = randomNumbers(11);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
const mail = (at: number): string => {
  const things = PROBLEMS[pick(Object.keys(PROBLEMS) as Kind[])];
  return `${pick(OPENINGS)} ${pick(MIDDLES)} ${pick(things)} ${pick(ENDS)} Ticket HD-${1_000 + at * 7}`;
};
const messagesOf = (text: string) => [
  { role: 'system', content: SYSTEM },
  { role: 'user', content: text },
];
/** As the model of the file answers: the note says what stands nowhere. */
const answerTo = (text: string): string => {
  const kind = PROBLEMS.hardware.some((thing) => text.includes(thing)) ? 'hardware' : 'software';
  const ticket = /HD-\d+/.exec(text)![0];
  return JSON.stringify({ kind, ticket, note: `${text.length} letters, ${Math.floor(random() * 1e6)}` });
};
const stored = (at: number) => {
  const text = mail(at);
  return {
    ...{
      object: 'chat.completion',
      id: `chatcmpl-${at}`,
      created: 1_760_000_000 + at * 60,
      model: THEIRS,
      tools: null,
    },
    ...{ response_format: FORMAT, messages: messagesOf(text), usage: { prompt_tokens: 60, completion_tokens: 20 } },
    choices: [{ index: 0, message: { role: 'assistant', content: answerTo(text) }, finish_reason: 'stop' }],
  };
};

describe('a distillation of imported calls', () => {
  let system: HostedApi;
  let api: TestApi;
  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    system.openai.script((response, request) =>
      answers(answerTo(request.body.messages.at(-1).content as string))(response, request),
    );
    const file = Array.from({ length: CALLS }, (_, at) => JSON.stringify(stored(at))).join('\n');
    const { body } = await api.call('POST', '/inferences/import?format=openai', file, {
      ...{ 'content-type': 'application/x-ndjson', 'x-api-key': api.key },
    });
    expect(body).toMatchObject({ imported: CALLS, refused: 0 });
    await api.drained();
  });
  afterAll(() => system.close());

  const ended = async (id: string) =>
    (
      await api.until(
        () => api.call('GET', `/distillations/${id}`),
        ({ body }) => body.completed_at !== null,
      )
    ).body;
  const ask = async (text: string) => {
    const sent = { model: 'desk', messages: messagesOf(text), response_format: FORMAT };
    const { status, body, headers } = await api.call('POST', '/v1/chat/completions', sent);
    expect(status).toBe(200);
    return {
      by: headers.get('x-anneal-answered-by') ?? '',
      said: JSON.parse(body.choices[0].message.content as string) as Record<string, unknown>,
      text: body.choices[0].message.content as string,
    };
  };

  const askedAtOnce = (first: number) => Promise.all(Array.from({ length: AT_ONCE }, (_, at) => ask(mail(first + at))));

  it('is found among the tasks, with what each place of its answers can become', async () => {
    const { tasks } = (await api.call('GET', '/distillable')).body;
    expect(tasks).toMatchObject([
      {
        ...{ model: THEIRS, calls: CALLS, cost: 0, form: 'json', has_schema: true, suitable: 'ask' },
        heads: [
          { path: 'kind', kind: 'class', labels: ['hardware', 'software'], choices: ['class', 'null', 'omitted'] },
          { path: 'ticket', kind: 'span', choices: ['span', 'null', 'omitted'] },
          { path: 'note', kind: 'null', choices: ['null', 'omitted'] },
        ],
      },
    ]);
  });

  it('names a model here to ask where the small one is not sure', async () => {
    const { status, body } = await api.call('POST', '/models/desk/distil', { teacher: THEIRS });
    expect([status, body.detail]).toEqual([
      422,
      expect.stringContaining('and as `from.model` the one whose calls are learned'),
    ]);
    const long = { teacher: 'acme/chat', from: { model: 'g'.repeat(301) } };
    expect((await api.call('POST', '/models/desk/distil', long)).status).toBe(422);
    const none = await api.call('POST', '/models/desk/distil', { teacher: 'acme/chat', from: { model: 'gpt-9' } });
    expect((await ended(none.body.id)).reason).toContain('the calls of gpt-9 have no task that can be learned');
  });

  it('names the place that cannot be as it is wanted', async () => {
    const order = { teacher: 'acme/chat', from: { model: THEIRS } };
    const distil = (heads: unknown) => api.call('POST', '/models/desk/distil', { ...order, heads });
    const unknown = await ended((await distil([{ path: 'notes', kind: 'null' }])).body.id);
    expect(unknown).toMatchObject({ status: 'refused', heads: [{ path: 'notes', kind: 'null' }] });
    expect(unknown.reason).toContain('heads: the answers have no "notes", they have kind, ticket, note');
    const span = await ended((await distil([{ path: 'note', kind: 'span' }])).body.id);
    expect(span.reason).toContain('heads: note cannot be span, only null, omitted');
    const twice = await distil([
      { path: 'note', kind: 'null' },
      { path: 'note', kind: 'omitted' },
    ]);
    expect([twice.status, twice.body.detail]).toEqual([422, expect.stringContaining('must not name a path twice')]);
    for (const path of ['', 'n'.repeat(301)]) expect((await distil([{ path, kind: 'null' }])).status).toBe(422);
    const kind = await distil([{ path: 'note', kind: 'sum' }]);
    expect([kind.status, kind.body.detail]).toEqual([422, expect.stringContaining('heads.0.kind')]);
  });

  it('makes a model that answers by its name, without a call before', async () => {
    const { body } = await api.call('POST', '/models/desk/distil', {
      ...{ teacher: 'acme/chat', from: { model: THEIRS }, target_agreement: 0.9, audit_share: 0 },
      ...{ heads: [{ path: 'note', kind: 'omitted' }], prompt_versions: 'all', unmapped: 'refuse' },
    });
    const done = await ended(body.id);
    expect(done).toMatchObject({
      ...{ status: 'in_use', reason: null, teacher: 'acme/chat', from_model: THEIRS, prompt_versions: 'all' },
      calls: { read: CALLS, of_task: CALLS, other_versions: 0, not_mapped: 0 },
    });
    // The classes are learned with what the prompt says of them.
    const job = (await api.call('GET', `/felix/training-jobs/${done.training_job_id}`)).body;
    expect((job.training_job ?? job).label_descriptions).toEqual({
      ...{ hardware: 'things that can be touched', software: 'programs and pages' },
    });
    for (let at = 0; at < 200; at += AT_ONCE)
      for (const { by } of await askedAtOnce(1_000 + at)) expect(by).toMatch(/^teacher; reason=watching/);
    await api.until(
      () => api.call('GET', `/distillations/${body.id}`),
      (answer) => answer.body.cascade.state !== 'watching',
    );
    const live = await askedAtOnce(2_000);
    const own = live.filter(({ by }) => by.startsWith('student; reason=sure'));
    expect(own.length).toBeGreaterThan(5);
    for (const { said, text } of own) {
      expect(Object.keys(said)).toEqual(['kind', 'ticket']);
      expect(text).toBe(JSON.stringify(said));
      expect(said['ticket']).toMatch(/^HD-\d+$/);
    }
  });
});
