import fc from 'fast-check';
import { processed } from '../reading.fixture.js';

const text = 'Ada met Bob in Paris, and Bob left';
const refused = async (row: object, datasetType: 'ner' | 'classification' | 'custom' | 'decoder' = 'ner') =>
  (await processed(JSON.stringify(row), { datasetType })).errors.map(({ field, reason }) => `${field}: ${reason}`);
const accepted = async (row: object, datasetType: 'ner' | 'classification' | 'custom' | 'decoder' = 'ner') => {
  const { rows, reason, contents } = await processed(JSON.stringify(row), { datasetType });
  expect(reason).toBeNull();
  return { row: rows[0], contents };
};

describe('rows', () => {
  it('of entities are pairs or objects; objects keep their offsets', async () => {
    const entities = [
      ['Ada', 'person'],
      { text: 'Bob', label: 'person', start: 26, end: 29 },
      { span: 'Paris', label: 'city' },
    ];
    const { row } = await accepted({ text, entities });
    expect(row).toEqual({
      text,
      entities: [['Ada', 'person'], { text: 'Bob', label: 'person', start: 26, end: 29 }, ['Paris', 'city']],
    });
  });

  it('of entities may list one twice with the same start', async () => {
    const bob = { text: 'Bob', label: 'person', start: 8 };
    const entities = [['Bob', 'person'], bob, bob, { ...bob, end: 11 }];
    const { row, contents } = await accepted({ text, entities });
    expect(row).toEqual({ text, entities });
    expect(contents).toMatchObject({ rows: 1, entityLabels: ['person'] });
  });

  it.each([
    [
      {
        text,
        entities: [
          ['Bob', 'person'],
          ['Bob', 'person'],
          ['Bob', 'person'],
        ],
      },
      /^entities\[2\]: "Bob" is labelled more often/,
    ],
    [{ text, entities: [['Eve', 'person']] }, /^entities\[0\]: "Eve" does not occur in text/],
    [{ text, entities: [['ada', 'person']] }, /^entities\[0\]: "ada" does not occur/],
    [
      {
        text,
        entities: [
          ['Bob', 'p'],
          ['Bob', 'p'],
          ['Bob', 'p'],
        ],
      },
      /^entities\[2\]: "Bob" is labelled more often/,
    ],
    [{ text, entities: [['Ada', '']] }, /^entities\[0\]\.label: /],
    [{ text, entities: [['', 'person']] }, /^entities\[0\]\.text: /],
    [{ text, entities: [['Ada']] }, /^entities\[0\]: must be \[span, label\]/],
    [{ text, entities: ['Ada'] }, /^entities\[0\]: must be \[span, label\]/],
    [{ text, entities: { Ada: 'person' } }, /^entities: must be a list, is an object/],
    [{ text, entities: 'Ada' }, /^entities: must be a list, is a string; in CSV/],
    [
      { text, entities: [{ text: 'Bob', label: 'p', start: 1 }] },
      /^entities\[0\]\.start: "Bob" does not stand at character 1/,
    ],
    [{ text, entities: [{ text: 'Bob', label: 'p', start: 8, end: 13 }] }, /^entities\[0\]\.end: must be start \+ 3/],
    [{ text, entities: [{ text: 'Bob', label: 'p', start: -1 }] }, /^entities\[0\]\.start: must be a whole number/],
    [{ text, entities: [{ text: 'Bob', label: 'p', start: 1e9 }] }, /^entities\[0\]\.start: /],
    [{ text, entities: [{ text: 'Bob', label: 'p', end: 3 }] }, /^entities\[0\]\.end: stands without start/],
    [{ text, entities: [['Ada', 'x'.repeat(201)]] }, /longer than 200 characters/],
    [{ entities: [] }, /^text: is missing/],
    [{ text: 7, entities: [] }, /^text: must be a string/],
    [{ text: '  ', entities: [] }, /^text: is empty/],
    [{ text }, /^entities: is missing: a row of a ner dataset/],
  ])('of entities are refused: %j', async (row, reason) => {
    expect((await refused(row))[0]).toMatch(reason);
  });

  it('of classes have one label or a list', async () => {
    expect((await accepted({ text, label: 'a' }, 'classification')).contents).toMatchObject({ multiLabel: false });
    const multi = await accepted({ text, labels: ['a', 'b'] }, 'classification');
    expect(multi.contents).toMatchObject({ multiLabel: true, classLabels: ['a', 'b'] });
    expect((await accepted({ text, labels: [] }, 'classification')).contents).toMatchObject({ multiLabel: true });
  });

  it.each([
    [
      { text },
      'label: is missing: a row of a classification dataset is {"text": ..., "label": ...}; this one has "text"; column_mapping says which column is which',
    ],
    [{ text, label: 3 }, 'label: must be a string, is a number; label_names says which names numbers stand for'],
    [{ text, label: ' ' }, 'label: is empty'],
    [{ text, label: [['a']] }, 'label: must be a string, is a list'],
    [{ text, label: true }, 'label: must be a string, is a boolean; write it as text: "true"'],
    [{ text, label: { start: 0, end: 3, label: 'x' } }, 'label: must be a string, is an object'],
    [
      { text, labels: ['a', 5] },
      'labels[1]: must be a string, is a number; label_names says which names numbers stand for',
    ],
    [{ text, labels: ['a', 'a'] }, 'labels[1]: "a" is there twice'],
    [{ text, label: 'a', labels: ['b'] }, 'labels: stands beside label; a row has one or the other'],
  ])('of classes are refused: %j', async (row, reason) => {
    expect(await refused(row, 'classification')).toEqual([reason]);
  });

  it('have one label mode in a dataset', async () => {
    const { errors } = await processed('{"text":"a","label":"x"}\n{"text":"b","labels":["y"]}');
    expect(errors).toEqual([
      { row: 2, field: 'labels', reason: 'row 1 has label; the rows of a dataset all have label, or all labels' },
    ]);
  });

  it('may have several heads; a head that is null or absent is unlabelled', async () => {
    const file = [
      {
        text,
        entities: [['Ada', 'person']],
        label: 'news',
        json_structures: [{ trip: { who: 'Ada', to: ['Paris'] } }],
      },
      { text, entities: null, label: 'news', relations: [{ met: { head: 'Ada', tail: 'Bob' } }] },
    ];
    const { contents, rows } = await processed(JSON.stringify(file), { datasetType: 'custom' });
    expect(contents).toMatchObject({
      heads: ['entities', 'classification', 'structures', 'relations'],
      labels: ['person', 'news', 'met', 'trip.to', 'trip.who'],
      structures: [
        {
          name: 'trip',
          fields: [
            { name: 'to', dtype: 'list' },
            { name: 'who', dtype: 'str' },
          ],
        },
      ],
      relations: ['met'],
    });
    expect(rows[1]).not.toHaveProperty('entities');
  });

  it.each([
    [
      { text, json_structures: [{ trip: { who: 'Eve' } }] },
      'json_structures[0].trip.who: "Eve" does not occur in text',
    ],
    [
      { text, json_structures: [{ trip: { to: ['Paris', 'Rome'] } }] },
      'json_structures[0].trip.to[1]: "Rome" does not',
    ],
    [{ text, json_structures: [{ trip: { who: 5 } }] }, 'json_structures[0].trip.who: must be a string copied'],
    [{ text, json_structures: [{ trip: { who: null } }] }, 'json_structures[0].trip.who: has no value'],
    [{ text, json_structures: [{ trip: 'x' }] }, 'json_structures[0].trip: must be {<field>: <value>}'],
    [{ text, json_structures: [{ trip: {} }] }, 'json_structures[0].trip: has no fields'],
    [{ text, json_structures: [{ trip: { who: '' } }] }, 'json_structures[0].trip.who: is empty'],
    [
      { text, json_structures: [{ trip: { who: { name: 'Ada' } } }] },
      'json_structures[0].trip.who.name: is unknown in',
    ],
    [{ text, json_structures: [{ trip: { who: 3 } }] }, 'json_structures[0].trip.who: must be a string'],
    [{ text, json_structures: [{ trip: { who: { value: 3 } } }] }, 'trip.who.value: must be the choice, a string'],
    [{ text, json_structures: [{ trip: { who: { value: ' ' } } }] }, 'trip.who.value: is empty'],
    [
      { text, json_structures: [{ trip: { who: { value: 'x', text: 'Eve' } } }] },
      'trip.who.text: "Eve" does not occur',
    ],
    [{ text, json_structures: [{ trip: { who: { value: 'x', choices: 'x' } } }] }, 'trip.who.choices: must be a list'],
    [
      { text, json_structures: [{ trip: { who: { value: 'x', choices: ['y'] } } }] },
      'trip.who.value: "x" is not among its choices',
    ],
    [{ text, json_structures: [{ trip: { who: { value: 'x'.repeat(201) } } }] }, 'the choice "xxx'],
    [{ text, json_structures: [{ trip: { to: [{ value: 'x' }] } }] }, 'trip.to[0]: must have "text" too'],
    [{ text, json_structures: [{ trip: { to: [['Paris']] } }] }, 'json_structures[0].trip.to[0]: must be a string'],
    [{ text, json_structures: [{ trip: { to: ['Paris', null] } }] }, 'json_structures[0].trip.to[1]: has no value'],
    [{ text, json_structures: [{ '': { who: 'Ada' } }] }, 'json_structures[0]: has a structure without a name'],
    [{ text, json_structures: [{ entities: { who: 'Ada' } }] }, 'json_structures[0].entities: has a name that answers'],
    [{ text, json_structures: [{ trip: { ' ': 'Ada' } }] }, 'json_structures[0].trip: has a field without a name'],
    [{ text, json_structures: 'x' }, 'in CSV a list is written as JSON: [{"trip":'],
    [{ json_structures: [] }, 'text: is missing'],
    [{ text, relations: [{ '': { head: 'Ada', tail: 'Bob' } }] }, 'relations[0]: has a relation without a name'],
    [{ text, relations: [{ met: { head: ['Ada'], tail: 'Bob' } }] }, 'relations[0].met.head: must be a string'],
    [{ text, relations: [['Ada', 'met', 'Bob']] }, 'relations[0]: must be {<relation>: {head, tail}}'],
    [{ text, json_structures: [{}] }, 'json_structures[0]: must be'],
    [{ text, json_structures: { trip: {} } }, 'json_structures: must be a list'],
    [{ text, relations: [{ met: { head: 'Ada' } }] }, 'relations[0].met.tail: has no value'],
    [{ text, relations: [{ met: { head: 'Ada', tail: 'Eve' } }] }, 'relations[0].met.tail: "Eve" does not occur'],
    [{ text, relations: [{ met: 'Ada' }] }, 'relations[0].met: must be {head, tail}'],
  ])('of structures and relations must be copied from the text: %j', async (row, reason) => {
    expect((await refused(row))[0]).toContain(reason);
  });

  it('of custom datasets without head keys are free', async () => {
    const row = { anything: [1, { a: null }], n: 5 };
    expect(await accepted(row, 'custom')).toMatchObject({ row, contents: { heads: [], labels: [] } });
    expect(await refused({ label: 'a' }, 'custom')).toEqual(['text: is missing']);
  });

  it('of decoder datasets become messages, in every supported form', async () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
    ];
    const shapes = [
      { messages },
      { prompt: 'hi', completion: 'hello' },
      { prompt: [{ role: 'user', content: 'hi' }], completion: [{ role: 'assistant', content: 'hello' }] },
      { instruction: 'hi', input: '', output: 'hello' },
      {
        conversations: [
          { from: 'human', value: 'hi' },
          { from: 'gpt', value: 'hello' },
        ],
      },
    ];
    for (const shape of shapes) expect((await accepted(shape, 'decoder')).row).toEqual({ messages });
    const { row } = await accepted({ system: 'be kind', instruction: 'hi', input: 'x', output: 'hello' }, 'decoder');
    expect(row).toEqual({
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'hi\n\nx' },
        { role: 'assistant', content: 'hello' },
      ],
    });
  });

  it.each([
    [{ text }, 'messages: is missing'],
    [{ messages: [] }, 'messages: must end with what the assistant'],
    [{ messages: [{ role: 'user', content: 'hi' }] }, 'messages: must end with what the assistant'],
    [{ messages: [{ role: 'robot', content: 'hi' }] }, 'messages[0].role: must be one of system, user'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content: must be a string, is a number'],
    [{ messages: [{ role: 'user', content: 'a\ud83d' }] }, 'messages[0].content: has half of a surrogate pair'],
    [{ messages: 'hi' }, 'messages: must be a list'],
    [{ messages: ['hi'] }, 'messages[0]: must be {role, content}, is a string'],
    [{ conversations: [{ from: 'alien', value: 'x' }] }, 'messages[0].role: must be one of'],
    [
      { messages: [{ role: 'assistant', content: '', tool_calls: [{ id: 'c' }] }] },
      'messages[0].tool_calls[0]: must be {"id", "type": "function"',
    ],
    [{ messages: [{ role: 'tool', content: '5', tool_call_id: 'c' }] }, 'messages: must end with'],
    [{ messages: [{ role: 'user', content: 'hi', name: {} }] }, 'messages[0].name: must be a string'],
    [{ conversations: [{ from: 'gpt', value: 'hi', weight: 0 }] }, 'messages: has answers of weight 0 alone'],
  ])('of decoder datasets are refused: %j', async (row, reason) => {
    expect((await refused(row, 'decoder'))[0]).toContain(reason);
  });

  it('of structures and relations may have an empty list, and several at once', async () => {
    const negative = await accepted({ text, json_structures: [], relations: [] });
    expect(negative.contents).toMatchObject({ heads: ['structures', 'relations'], labels: [] });
    expect(negative.contents).not.toHaveProperty('structures');
    const two = await accepted({
      text,
      json_structures: [{ trip: { who: 'Ada' }, stay: { at: 'Paris' } }, { trip: { who: ['Bob', 'Bob'] } }],
      relations: [{ met: { head: 'Ada', tail: 'Bob' }, left: { head: 'Bob', tail: 'Paris' } }],
    });
    expect(two.contents).toMatchObject({
      structures: [
        { name: 'stay', fields: [{ name: 'at', dtype: 'str' }] },
        { name: 'trip', fields: [{ name: 'who', dtype: 'list' }] },
      ],
      relations: ['left', 'met'],
    });
  });

  it('have the heads of any encoder type in any encoder dataset', async () => {
    const row = { text, json_structures: [{ trip: { to: 'Paris' } }] };
    for (const type of ['ner', 'classification', 'custom'] as const)
      expect((await accepted(row, type)).contents).toMatchObject({ heads: ['structures'], labels: ['trip.to'] });
  });

  const WORDS = ['Ada', 'Bob', 'Paris', '🛫', 'é', 'a b', '"q"', '[x]'];
  const sentence = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 });
  /** A sentence with values copied from it, and their places in the row. */
  const copied = sentence.chain((words) => {
    const word = fc.constantFrom(...words);
    const structure = fc.dictionary(
      fc.constantFrom('who', 'to', 'at'),
      fc.oneof(word, fc.array(word, { maxLength: 3 })),
      {
        minKeys: 1,
        noNullPrototype: true,
      },
    );
    return fc.record({
      text: fc.constant(words.join(' ')),
      json_structures: fc.array(fc.record({ trip: structure }), { minLength: 1, maxLength: 3 }),
      relations: fc.array(fc.record({ met: fc.record({ head: word, tail: word }) }), { minLength: 1, maxLength: 3 }),
    });
  });

  it('with structures and relations copied from any text are accepted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(copied, { minLength: 1, maxLength: 5 }), async (rows) => {
        const { reason, rows: read } = await processed(JSON.stringify(rows));
        expect(reason).toBeNull();
        expect(read).toEqual(rows);
      }),
    );
  });

  it('with one value that is not copied are refused, naming the row and the field', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(copied, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.boolean(),
        async (rows, at, inRelation) => {
          const index = at % rows.length;
          const spoiled = structuredClone(rows) as unknown as { relations: unknown[]; json_structures: unknown[] }[];
          if (inRelation)
            spoiled[index]?.relations.push({ met: { head: 'nowhere', tail: rows[index]?.relations[0]?.met.tail } });
          else spoiled[index]?.json_structures.push({ trip: { to: ['nowhere'] } });
          const place = inRelation
            ? `relations[${rows[index]?.relations.length}].met.head`
            : `json_structures[${rows[index]?.json_structures.length}].trip.to[0]`;
          const { errors, total } = await processed(JSON.stringify(spoiled));
          expect({ errors, total }).toEqual({
            errors: [
              { row: index + 1, field: place, reason: expect.stringMatching(/^"nowhere" does not occur in text/) },
            ],
            total: 1,
          });
        },
      ),
    );
  });

  const turn = fc.record({ role: fc.constantFrom('user', 'assistant', 'system', 'tool'), content: fc.string() });
  it('of chats are kept unchanged, and equal to ShareGPT and Alpaca rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 5 }), fc.string(), fc.string(), async (before, question, reply) => {
        const messages = [...before, { role: 'user', content: question }, { role: 'assistant', content: reply }];
        const conversations = messages.map(({ role, content }) => ({
          from: { user: 'human', assistant: 'gpt' }[role] ?? role,
          value: content,
        }));
        for (const shape of [{ messages }, { conversations }])
          expect((await accepted(shape, 'decoder')).row).toEqual({ messages });
        for (const shape of [
          { instruction: question, output: reply },
          { prompt: question, completion: reply },
        ])
          expect((await accepted(shape, 'decoder')).row).toEqual({ messages: messages.slice(-2) });
      }),
    );
  });

  it('take linear time even if crafted to be slow', async () => {
    const many = 'a '.repeat(19_000);
    const entities = Array.from({ length: 19_000 }, () => ['a', 'x']);
    await accepted({ text: many, entities });
    expect((await refused({ text: many, entities: [...entities, ['a', 'x']] }))[0]).toContain('more often');
    const nested = Array.from({ length: 5000 }, (_, index) => ['a'.repeat(1 + (index % 100)), 'x']);
    await accepted({ text: 'a'.repeat(400_000), entities: nested });
    const absent = Array.from({ length: 20_000 }, (_, index) => [`${'ba'.repeat(1 + (index % 100))}c`, 'x']);
    expect((await refused({ text: 'ab'.repeat(500_000), entities: absent }))[0]).toContain('does not occur');
    const different = Array.from({ length: 20_000 }, (_, index) => [`a${index}`, 'x']);
    expect(await refused({ text: 'a'.repeat(200_000), entities: different })).toEqual([
      'entities: has too many entries for so long a text; split the row',
    ]);
    expect((await refused({ text, entities: [...different, ['a', 'x']] }))[0]).toContain('more than 20000 entries');
    const values = [{ many: { value: Array.from({ length: 20_001 }, () => 'Ada') } }];
    expect(await refused({ text, json_structures: values })).toEqual(['json_structures: has more than 20000 values']);
  });
});
