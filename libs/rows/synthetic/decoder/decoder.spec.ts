import type { DecoderCall, Decoders, Model } from '#calls/index.js';
import { BillingError, UnavailableError } from '#domain/errors.js';
import type { RowsRequest } from '#domain/generation-job/index.js';
import { NO_USAGE } from '#calls/hosted/port.js';
import { collectRows } from '../collect.js';
import type { GenerationContext } from '../port.js';
import { decoderGenerator } from './index.js';
import { parsedRows, shapedRow } from './rows.js';

const on: GenerationContext = {
  jobId: 'g1',
  workspaceId: 'w1',
  requestedBy: { kind: 'key', userId: 'u1', teamId: 't1', keyId: 'k1' },
  projectId: null,
};
const request = (more: Partial<RowsRequest> = {}): RowsRequest => ({
  ...{
    taskType: 'classification',
    count: 5,
    seed: 1,
    labels: ['good', 'bad'],
    fields: [],
    inputFields: [],
    outputFields: [],
  },
  ...{ domainDescription: null, prompt: null, instruction: null, classifiedExamples: [] },
  ...more,
});

/** A decoder that answers what a test says, by the number of the call from 0. */
class Scripted implements Pick<Decoders, 'find' | 'run'> {
  readonly calls: DecoderCall[] = [];
  constructor(private readonly answer: (call: number) => string) {}
  find = async (_: unknown, modelId: string) => ({ modelId, entry: { context_window: 8192 } }) as Model;
  run = async (_: Model, call: DecoderCall) => {
    this.calls.push(call);
    const text = this.answer(this.calls.length - 1);
    return {
      inferenceId: 'i',
      text,
      calls: [],
      finishReason: 'stop' as const,
      dropped: [],
      usage: NO_USAGE,
      latencyMs: 1,
    };
  };
  get user(): string {
    return JSON.stringify(this.calls.at(-1)!.generation.messages[1]);
  }
}

const row = (index: number) => ({ text: `text ${index}`, label: index % 2 ? 'good' : 'bad' });
const rows = (from: number, count: number) =>
  JSON.stringify({ rows: Array.from({ length: count }, (_, index) => row(from + index)) });
const pauses: number[] = [];
const generatorOf = (calls: Pick<Decoders, 'find' | 'run'>) => {
  pauses.length = 0;
  return decoderGenerator(calls, 'acme/chat', {
    pause: async (ms) => {
      pauses.push(ms);
    },
  });
};
const made = (calls: Pick<Decoders, 'find' | 'run'>, of = request()) =>
  collectRows(generatorOf(calls).rows(of, on), of);

describe('a decoder that generates rows', () => {
  it('is given the format, the labels, the topic and examples', async () => {
    const calls = new Scripted(() => rows(0, 5));
    const classifiedExamples = [{ text: 'nice one', label: 'good' }];
    const result = await made(
      calls,
      request({ domainDescription: 'toys', instruction: 'Be terse.', classifiedExamples }),
    );
    expect(result.rows).toEqual([0, 1, 2, 3, 4].map(row));
    for (const told of ['good', 'bad', 'toys', 'Be terse.', 'nice one', 'Make 5 rows'])
      expect(calls.user).toContain(told);
    expect(calls.calls).toHaveLength(1);
    expect(calls.calls[0]).toMatchObject({
      caller: { ...on.requestedBy, workspaceId: 'w1' },
      correlationId: 'g1',
      store: true,
    });
    expect(calls.calls[0]!.generation.maxTokens).toBeLessThanOrEqual(4096);
  });

  it('is asked again for missing, repeated or invalid rows, and shown the existing ones', async () => {
    const answers = [rows(0, 3), rows(0, 3), 'sorry, no', '{"rows": [{"text": "x", "label": "ugly"}]}', rows(3, 2)];
    const calls = new Scripted((call) => answers[call] ?? '');
    const result = await made(calls);
    expect(result.rows).toEqual([0, 1, 2, 3, 4].map(row));
    expect(result.distinctShare).toBeCloseTo(5 / 8);
    expect(calls.user).toContain('text 2');
  });

  it('survives an answer that is nested very deeply', async () => {
    const deep = `[{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`;
    const calls = new Scripted((call) => (call === 0 ? deep : '{"rows":[{"a":1},{"a":2}]}'));
    const of = request({ taskType: 'custom', prompt: 'numbers', count: 2 });
    expect((await made(calls, of)).rows).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('is called a limited number of times', async () => {
    const same = new Scripted(() => rows(0, 1));
    const { rows: few, warnings } = await made(same, request({ count: 100 }));
    expect(few).toHaveLength(1);
    expect(warnings).toEqual([{ code: 'fewer_rows', message: expect.stringContaining('1 rows were made, not 100') }]);
    expect(same.calls.length).toBeLessThanOrEqual(14);
    const useless = new Scripted(() => 'I would rather not.');
    await expect(made(useless, request({ count: 1000 }))).rejects.toThrow('without one row');
    expect(useless.calls.length).toBeLessThanOrEqual(8);
  });

  it('is retried after a pause while unavailable, a few times', async () => {
    const calls = new Scripted((call) => {
      if (call < 2) throw new UnavailableError('busy', { retryAfterSeconds: 3 });
      return rows(0, 5);
    });
    expect((await made(calls)).rows).toHaveLength(5);
    expect(pauses).toEqual([3000, 3000]);
    const dead = new Scripted(() => {
      throw new UnavailableError('down');
    });
    await expect(made(dead)).rejects.toThrow('acme/chat did not answer: down');
    expect(dead.calls).toHaveLength(5);
  });

  it('is not retried when the credits run out', async () => {
    const broke = new Scripted(() => {
      throw new BillingError('out_of_credits', 'no credits');
    });
    await expect(made(broke)).rejects.toThrow('no credits');
  });
});

describe('rows generated by a decoder', () => {
  it.each<[string, string, number]>([
    ['an object with a list', '{"rows": [{"a": 1}, {"a": 2}]}', 2],
    ['a list in a code fence', '```json\n[{"a": 1}]\n```', 1],
    ['words around', 'Here you are: {"rows": [{"a": 1}]} Enjoy!', 1],
    ['an object a line', '{"a": 1}\n{"a": 2},\n{"a":', 2],
    ['one object', '{"a": 1}', 1],
    ['no JSON', 'no', 0],
    ['a number', '5', 0],
    ['nothing', '', 0],
  ])('%s is read', (_, text, count) => {
    expect(parsedRows(text)).toHaveLength(count);
  });

  it('are kept only in the requested format', () => {
    const shaped = (more: Partial<RowsRequest>, made: object) => shapedRow(made as never, request(more));
    const ner = { taskType: 'ner', labels: ['city'] } as const;
    expect(shaped(ner, { text: 'in Rome', entities: [{ text: 'Rome', label: 'city' }], note: 1 })).toEqual({
      text: 'in Rome',
      entities: [['Rome', 'city']],
    });
    expect(shaped(ner, { text: 'in Rome', entities: [['Rome', 'town']] })).toBeNull();
    const fields = [
      { name: 'age', type: 'number', description: null, choices: null },
      { name: 'plan', type: 'string', description: null, choices: ['free'] },
    ] as const;
    const records = { taskType: 'records', fields } as const;
    expect(shaped(records, { age: 5, plan: 'free', more: 1 })).toEqual({ age: 5, plan: 'free' });
    for (const bad of [{ age: '5', plan: 'free' }, { age: 5 }, { age: 5, plan: 'gold' }])
      expect(shaped(records, bad)).toBeNull();
    const pairs = { taskType: 'fields', inputFields: fields.slice(0, 1), outputFields: fields.slice(1) } as const;
    expect(shaped(pairs, { input: { age: 5 }, output: { plan: 'free' } })).not.toBeNull();
    expect(shaped(pairs, { input: { age: 5 } })).toBeNull();
    const chat = { taskType: 'decoder', instruction: 'Be kind.' } as const;
    const turns = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
    ];
    expect(shaped(chat, { messages: turns })).toEqual({
      messages: [{ role: 'system', content: 'Be kind.' }, ...turns],
    });
    expect(shaped(chat, { messages: turns.slice(0, 1) })).toBeNull();
  });
});

describe('structures and relations of a decoder', () => {
  const field = (name: string, type: 'string' | 'list' = 'string') => ({
    ...{ name, type, description: null, choices: null },
  });
  const of = request({
    taskType: 'ner',
    count: 1,
    labels: [],
    structures: [{ name: 'order', fields: [field('item'), field('guests', 'list')] }],
    relations: [{ name: 'lives_in', head: 'person', tail: 'city', description: 'where they sleep' }],
  });
  const good = {
    text: 'Ann of Lyon wants a lamp.',
    json_structures: [{ order: { item: 'lamp' } }],
    relations: [{ lives_in: { head: 'Ann', tail: 'Lyon' } }],
  };

  it('are described to the decoder by name, field and type', async () => {
    const calls = new Scripted(() => JSON.stringify({ rows: [good] }));
    expect((await made(calls, of)).rows).toEqual([good]);
    for (const told of [
      'json_structures',
      'guests',
      'list of strings',
      'lives_in',
      'from a person',
      'where they sleep',
    ])
      expect(calls.user).toContain(told);
  });

  it.each([
    ['a structure that was not asked for', { json_structures: [{ parcel: { item: 'lamp' } }] }],
    ['a field of another type', { json_structures: [{ order: { guests: 'Ann' } }] }],
    ['a value that the text does not have', { json_structures: [{ order: { item: 'chair' } }] }],
    ['a relation without a tail', { relations: [{ lives_in: { head: 'Ann' } }] }],
    ['a missing head', { relations: undefined }],
  ])('are dropped with %s', async (_, change) => {
    const calls = new Scripted((call) => JSON.stringify({ rows: [call === 0 ? { ...good, ...change } : good] }));
    expect((await made(calls, of)).rows).toEqual([good]);
    expect(calls.calls.length).toBeGreaterThan(1);
  });
});
