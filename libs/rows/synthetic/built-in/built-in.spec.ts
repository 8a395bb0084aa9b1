import fc from 'fast-check';
import type { FieldSpec, GenerationTask, RelationSpec, RowsRequest } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';
import { collectRows, isValidRow } from '../collect.js';
import type { GenerationContext } from '../port.js';
import { TEXT_CLASSES } from './classes.js';
import { ENTITY_TYPES } from './entity-types.js';
import { RELATIONS } from './relations.js';
import { builtInGenerator } from './index.js';

const nobody = {} as GenerationContext;
const field = (name: string, more: Partial<FieldSpec> = {}): FieldSpec => ({
  ...{ name, type: 'string', description: null, choices: null },
  ...more,
});
const relation = (name: string, head: string | null = null, tail: string | null = null): RelationSpec => ({
  ...{ name, head, tail, description: null },
});
const request = (taskType: GenerationTask, more: Partial<RowsRequest> = {}): RowsRequest => ({
  ...{ taskType, count: 20, seed: 1, labels: [], fields: [], inputFields: [], outputFields: [] },
  ...{ domainDescription: null, prompt: null, instruction: null, classifiedExamples: [] },
  ...more,
});
const made = (of: RowsRequest) => collectRows(builtInGenerator.rows(of, nobody), of);
const refused = (of: RowsRequest) => builtInGenerator.check(of, nobody);

/** Class names that stand for one class among themselves. */
const CLASS_NAMES = [...new Set(TEXT_CLASSES.map(({ name }) => name))].filter(
  (name) => TEXT_CLASSES.filter(({ names }) => names.includes(name)).length === 1,
);
const FIELDS = [
  field('name'),
  field('customer_email'),
  field('age', { type: 'number' }),
  field('score', { type: 'number', description: 'between 3 and 7' }),
  field('is_active', { type: 'boolean' }),
  field('plan', { choices: ['free', 'pro'] }),
  field('order_date'),
  field('languages', { type: 'list' }),
  field('guests', { type: 'list' }),
  field('emails', { type: 'list' }),
  field('review'),
  field('shipping_city'),
];

const requests = fc.record({ seed: fc.nat(), count: fc.integer({ min: 1, max: 60 }) }).chain(({ seed, count }) =>
  fc
    .oneof(
      fc.subarray(ENTITY_TYPES, { minLength: 1, maxLength: 8 }).map((labels) => request('ner', { labels })),
      fc
        .subarray(
          FIELDS.filter(({ name, type }) => (type === 'string' || type === 'list') && name !== 'review'),
          { minLength: 1 },
        )
        .map((fields) => request('ner', { structures: [{ name: 'order', fields: [field('order_id'), ...fields] }] })),
      fc
        .subarray(RELATIONS, { minLength: 1, maxLength: 5 })
        .map((names) => request('ner', { relations: names.map((name) => relation(name)) })),
      fc.subarray(CLASS_NAMES, { minLength: 1, maxLength: 6 }).map((labels) => request('classification', { labels })),
      fc.subarray(FIELDS).map((fields) => request('records', { fields: [field('order_id'), ...fields] })),
      fc
        .constantFrom(
          'product reviews',
          'support tickets with their category',
          'news headlines',
          'job postings',
          'bug reports',
        )
        .map((prompt) => request('custom', { prompt: `Write ${count} ${prompt}` })),
      fc
        .constantFrom(
          'customer support',
          'a travel agency',
          'banking',
          'restaurant',
          'tech support',
          'clinic',
          'HR',
          'school',
        )
        .map((domainDescription) => request('decoder', { domainDescription })),
      fc
        .subarray([field('person'), field('cities', { type: 'list' }), field('date')], { minLength: 1 })
        .map((outputFields) =>
          request('fields', { inputFields: [field('message'), field('customer_id')], outputFields }),
        ),
    )
    .map((of): RowsRequest => ({ ...of, seed, count })),
);

describe('the built-in generator', () => {
  it('makes the requested number of rows, all different and valid for upload', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (of) => {
        await builtInGenerator.check(of, nobody);
        const { rows, distinctShare } = await made(of);
        expect(rows).toHaveLength(of.count);
        for (const row of rows) expect([row, isValidRow(row, of.taskType)]).toEqual([row, true]);
        expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(of.count);
        expect(distinctShare).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  it('makes the same rows for the same seed, whatever else is made at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(requests, requests, async (of, other) => {
        const [one, , two] = await Promise.all([made(of), made(other), made(of)]);
        expect(two.rows).toEqual(one.rows);
        expect((await made(of)).rows).toEqual(one.rows);
      }),
      { numRuns: 40 },
    );
  });

  it.each<GenerationTask>(['ner', 'classification', 'decoder'])(
    'seldom repeats itself in 1,000 %s rows',
    async (task) => {
      const of = request(task, {
        count: 1000,
        labels: task === 'ner' ? ['person', 'city', 'date'] : ['positive', 'negative', 'neutral'],
        domainDescription: task === 'decoder' ? 'customer support' : null,
      });
      const { rows, distinctShare } = await made(of);
      expect(rows).toHaveLength(1000);
      expect(distinctShare).toBeGreaterThanOrEqual(0.95);
    },
  );

  it('labels every entity of a requested type, under the names of the request', async () => {
    const { rows } = await made(request('ner', { count: 300, labels: ['E-Mail', 'ORDER_NUMBER', 'Cities'] }));
    const labels = new Set(rows.flatMap((row) => entitiesOf(row).map(([, label]) => label)));
    expect([...labels].toSorted()).toEqual(['Cities', 'E-Mail', 'ORDER_NUMBER']);
    for (const row of rows) {
      const found = (row['text'] as string).match(/[\w.+-]+@[\w.-]+\.\w+/g) ?? [];
      expect([row['text'], entitiesOf(row).filter(([, label]) => label === 'E-Mail').length]).toEqual([
        row['text'],
        found.length,
      ]);
    }
  });

  it('includes rows without entities', async () => {
    const { rows } = await made(request('ner', { count: 500, labels: ['city'] }));
    const negative = rows.filter((row) => entitiesOf(row).length === 0).length;
    expect(negative / 500).toBeGreaterThan(0.05);
    expect(negative / 500).toBeLessThan(0.25);
  });

  it('makes equally many rows of each class', async () => {
    const { rows } = await made(request('classification', { count: 400, labels: ['spam', 'ham'] }));
    const spam = rows.filter(({ label }) => label === 'spam').length;
    expect(Math.abs(spam - 200)).toBeLessThan(40);
  });

  it('resolves an ambiguous class name by the other labels', async () => {
    const { rows } = await made(request('classification', { count: 40, labels: ['high', 'medium', 'low'] }));
    expect(rows).toHaveLength(40);
    await expect(refused(request('classification', { labels: ['high', 'urgent'] }))).rejects.toThrow('is the same');
  });

  it('makes texts that agree with their fields', async () => {
    const { rows } = await made(
      request('fields', {
        count: 50,
        inputFields: [field('message')],
        outputFields: [field('person'), field('cities', { type: 'list' })],
      }),
    );
    for (const { input, output } of rows as unknown as {
      input: { message: string };
      output: Record<string, unknown>;
    }[]) {
      if (output['person'] !== null) expect(input.message).toContain(output['person']);
      for (const city of output['cities'] as string[]) expect(input.message).toContain(city);
    }
  });

  it('makes consistent fields within a record', async () => {
    const fields = [field('first_name'), field('last_name'), field('full_name'), field('city'), field('country')];
    const { rows } = await made(request('records', { count: 40, fields }));
    for (const row of rows)
      expect(row['full_name']).toBe(`${row['first_name'] as string} ${row['last_name'] as string}`);
  });

  it('respects choices and ranges', async () => {
    const fields = [
      field('quux', { choices: ['a', 'b'] }),
      field('zork', { type: 'number', description: '2 to 4' }),
      field('tags', { type: 'list', choices: ['x', 'y'] }),
    ];
    const { rows } = await made(request('records', { count: 12, fields }));
    for (const { quux, zork, tags } of rows) {
      expect(['a', 'b']).toContain(quux);
      expect([2, 3, 4]).toContain(zork);
      for (const tag of tags as string[]) expect(['x', 'y']).toContain(tag);
    }
  });

  it('makes fewer rows, with a warning, if no more different ones exist', async () => {
    const { rows, warnings } = await made(
      request('records', { count: 100, fields: [field('x', { type: 'boolean' })] }),
    );
    expect(rows).toHaveLength(2);
    expect(warnings).toEqual([{ code: 'fewer_rows', message: expect.stringContaining('2 rows were made, not 100') }]);
  });

  it('uses the instruction as the system message', async () => {
    const { rows } = await made(
      request('decoder', { count: 3, domainDescription: 'banking', instruction: 'Be brief.' }),
    );
    for (const { messages } of rows as unknown as { messages: object[] }[])
      expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });

  it.each(['constructor', '__proto__', 'toString', '', '💥', 'a'.repeat(100), '[x|y', '{x}'])(
    'treats the name %j as unknown',
    async (name) => {
      const requests = [
        request('ner', { labels: [name] }),
        request('classification', { labels: [name] }),
        request('custom', { prompt: name }),
        request('decoder', { domainDescription: name }),
        ...(['string', 'number', 'list'] as const).map((type) =>
          request('records', { fields: [field(name, { type })] }),
        ),
        request('fields', { inputFields: [field('text')], outputFields: [field(name)] }),
        request('fields', { inputFields: [field(name)], outputFields: [field(name)] }),
      ];
      for (const of of requests) await expect(refused(of)).rejects.toMatchObject({ code: 'invalid' });
      const flag = request('records', { count: 2, fields: [field(name, { type: 'boolean' })] });
      for (const row of (await made(flag)).rows)
        expect(typeof Object.getOwnPropertyDescriptor(row, name)!.value).toBe('boolean');
    },
  );

  it('names a few of many words that it cannot use', async () => {
    const words = Array.from({ length: 2_000 }, (_, index) => `unheard${index % 900}`);
    const error = await refused(request('custom', { prompt: words.join(' ') })).catch((reason: Error) => reason);
    expect((error as Error).message).toContain('"unheard0"');
    expect((error as Error).message.length).toBeLessThan(1_500);
  });

  it.each<[string, RowsRequest, string]>([
    ['a label', request('ner', { labels: ['tone of voice'] }), 'labels.0'],
    ['a role that is not an entity type', request('ner', { labels: ['winner'] }), 'labels.0'],
    ['a class', request('classification', { labels: ['spam', 'sonnet'] }), 'labels.1'],
    [
      'a prompt, naming the words',
      request('custom', { prompt: 'angry product reviews about headphones' }),
      '"angry", "headphones"',
    ],
    [
      'a prompt for two kinds',
      request('custom', { prompt: 'product reviews and news headlines' }),
      'more than one kind',
    ],
    ['a domain', request('decoder', { domainDescription: 'beekeeping' }), 'domainDescription'],
    ['a field', request('records', { fields: [field('frobnicate')] }), 'fields.0'],
    [
      'a number without a range',
      request('records', { fields: [field('blorp', { type: 'number' })] }),
      'a range in its description',
    ],
    [
      'an output',
      request('fields', { inputFields: [field('text')], outputFields: [field('summary')] }),
      'outputFields.0',
    ],
    [
      'two texts in one row',
      request('fields', { inputFields: [field('text'), field('review')], outputFields: [field('city')] }),
      'inputFields.1',
    ],
    ['an instruction', request('records', { fields: [field('email')], instruction: 'x' }), 'instruction'],
    ['a prompt beside labels', request('ner', { labels: ['city'], prompt: 'x' }), 'prompt'],
    [
      'examples',
      request('classification', { labels: ['spam'], classifiedExamples: [{ text: 'a', label: 'spam' }] }),
      'classified_examples',
    ],
  ])('refuses unsupported requests: %s', async (_, of, named) => {
    await expect(refused(of)).rejects.toThrow(named);
  });
});

const entitiesOf = (row: JsonObject) => row['entities'] as unknown as readonly (readonly [string, string])[];
