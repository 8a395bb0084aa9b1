import { InvalidError } from '#domain/errors.js';
import { ignoredIn } from '../../edge/ignored-fields.js';
import { decodeNativeRequest } from './decode.js';
import type { EncoderRequest } from '#calls/encoder-request.js';

const body = { model_id: 'anneal/encoder-base-v1', text: 'Maria flew to Lisbon.', schema: ['person', 'city'] };

/** A request for an encoder, checked. */
function decodeEncoder(value: unknown): EncoderRequest {
  const request = decodeNativeRequest(value);
  if (request.kind !== 'encoder') throw new Error('not for an encoder');
  return request;
}

const manyNames = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`name ${n}`, 'x']));

const classifying = (labels: unknown) => ({ ...body, schema: { classifications: [{ task: 'mood', labels }] } });

/** Problems of a value as `path: message` lines. */
function problems(value: unknown): string[] {
  try {
    decodeNativeRequest(value);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    return error.fields.map(({ path, message }) => `${path.join('.')}: ${message}`);
  }
}

describe('the native request', () => {
  it('takes a flat list of labels as a schema of entities', () => {
    const request = decodeEncoder(body);
    expect(request.schema?.entities).toEqual([{ name: 'person' }, { name: 'city' }]);
    expect(request).toMatchObject({ texts: [body.text], batch: false, threshold: null, store: true });
  });

  it('limits labels in length, and in number over all tasks', () => {
    const labels = Array.from({ length: 1_000 }, (_, index) => `label ${index}`);
    const tasks = (count: number) => Array.from({ length: count }, (_, index) => ({ task: `task ${index}`, labels }));
    expect(problems({ ...body, schema: { classifications: tasks(10) } })).toEqual([]);
    expect(problems({ ...body, schema: { classifications: tasks(11) } })).toEqual([
      'body.schema: must name at most 10000 labels and choices in all, not 11000',
    ]);
    expect(problems({ ...body, schema: ['a', 'b'.repeat(1_001)] })).toEqual([
      'body.schema: must have labels and choices of at most 1000 characters, not 1001',
    ]);
  });

  it('limits choices of fields together with the labels', () => {
    const choices = Array.from({ length: 1_000 }, (_, index) => `choice ${index}`);
    const fields = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `field ${index}`, choices }));
    expect(problems({ ...body, schema: { structures: { a: { fields: fields(5) }, b: fields(5) } } })).toEqual([]);
    expect(problems({ ...body, schema: { structures: { a: { fields: fields(5) }, b: fields(6) } } })).toEqual([
      'body.schema: must name at most 10000 labels and choices in all, not 11000',
    ]);
    const long = [{ name: 'field', choices: ['b'.repeat(1_001)] }];
    expect(problems({ ...body, schema: { structures: { a: long } } })).toEqual([
      'body.schema: must have labels and choices of at most 1000 characters, not 1001',
    ]);
  });

  it('takes entities as definitions, or as a map from label to description', () => {
    const definitions = [{ name: 'city', description: 'a town', threshold: 0.3, dtype: 'str' }];
    expect(decodeEncoder({ ...body, schema: { entities: definitions } }).schema?.entities).toEqual(definitions);
    expect(decodeEncoder({ ...body, schema: { entities: { city: 'a town' } } }).schema?.entities).toEqual([
      { name: 'city', description: 'a town' },
    ]);
  });

  it('asks for overlapping entities with flat_ner: false', () => {
    const schema = { entities: ['city'], flat_ner: false };
    expect(decodeEncoder({ ...body, schema }).schema).toMatchObject({ entities: [{ name: 'city' }], flatNer: false });
    for (const flat_ner of [true, null])
      expect(decodeEncoder({ ...body, schema: { ...schema, flat_ner } }).schema).not.toHaveProperty('flatNer');
    expect(problems({ ...body, schema: { ...schema, flat_ner: 'no' } })).toEqual([
      expect.stringMatching(/^body\.schema\.flat_ner: must be/),
    ]);
    expect(problems({ ...body, schema: { classifications: { mood: ['good'] }, flat_ner: false } })).toEqual([
      'body.schema.flat_ner: needs labels in `entities`',
    ]);
  });

  it('treats a label called __proto__ like any other', () => {
    const schema = JSON.parse('{"entities": ["__proto__", "constructor"]}') as unknown;
    expect(decodeEncoder({ ...body, schema }).schema?.entities).toEqual([
      { name: '__proto__' },
      { name: 'constructor' },
    ]);
  });

  it('takes tasks as a list, or as a map from task to labels', () => {
    const expected = [{ task: 'mood', labels: ['good', 'bad'], multiLabel: false }];
    const list = [{ task: 'mood', labels: ['good', 'bad', 'good'] }];
    expect(decodeEncoder({ ...body, schema: { classifications: list } }).schema?.classifications).toEqual(expected);
    const map = { mood: ['good', 'bad'] };
    expect(decodeEncoder({ ...body, schema: { classifications: map } }).schema?.classifications).toEqual(expected);
  });

  it('takes the labels of a task as a map to descriptions', () => {
    const labels = { good: 'praise', bad: null, '7': 'a number' };
    const [task] = decodeEncoder({ ...body, schema: { classifications: { mood: { labels } } } }).schema!
      .classifications!;
    expect(task!.labels.toSorted()).toEqual(['7', 'bad', 'good']);
    expect(task!.descriptions).toHaveLength(2);
    expect(task!.descriptions).toContainEqual({ label: 'good', description: 'praise' });
    expect(task!.descriptions).toContainEqual({ label: '7', description: 'a number' });
  });

  it.each<[string, unknown, RegExp]>([
    ['an invalid description', classifying({ good: 7 }), /labels\.good: must be a description/],
    ['an empty label of a task', classifying({ '': 'x' }), /labels: must not have an empty label/],
    ['a task whose map has no labels', classifying({}), /labels: must name at least one label/],
    ['a task whose labels are none', classifying('good'), /labels: must be a list/],
    ['no body', undefined, /^body: is required; send a JSON object$/],
    ['no object', [1], /^body: must be a JSON object, not a list/],
    ['no model', { text: 'x' }, /^body\.model_id: is required/],
    ['an empty model', { ...body, model_id: '' }, /^body\.model_id: .*not empty/],
    ['a model of another type', { ...body, model_id: 7 }, /^body\.model_id: .*not a number/],
    ['no text', { ...body, text: undefined }, /^body\.text: is required/],
    ['a batch of nothing', { ...body, text: [] }, /^body\.text: must hold at least one/],
    ['a batch with a number', { ...body, text: ['a', 1] }, /^body\.text\.1: must be a string/],
    ['too many texts', { ...body, text: Array(1001).fill('a') }, /^body\.text: .*at most 1000/],
    ['a threshold above 1', { ...body, threshold: 1.5 }, /^body\.threshold: must be from 0 to 1/],
    ['a threshold in words', { ...body, threshold: 'high' }, /^body\.threshold: must be a number/],
    ['streaming', { ...body, stream: true }, /^body\.stream: .*\/v1\/chat\/completions/],
    ['a schema of no head', { ...body, schema: { labels: ['a'] } }, /^body\.schema: must have one of entities/],
    ['a schema in words', { ...body, schema: 'person' }, /^body\.schema: must be a list/],
    ['no labels', { ...body, schema: [] }, /^body\.schema: must name at least one label/],
    ['an empty label', { ...body, schema: ['a', ''] }, /^body\.schema\.1: .*not empty/],
    [
      'an empty label in a map',
      { ...body, schema: { entities: { '': 'x' } } },
      /entities: must not have an empty label/,
    ],
    ['no task in a map', { ...body, schema: { classifications: {} } }, /classifications: must name at least one task/],
    ['a task without a name', { ...body, schema: { classifications: { '': ['a'] } } }, /a task without a name/],
    [
      'too many labels in a map',
      { ...body, schema: { entities: manyNames } },
      /entities: must name at most 1000 labels/,
    ],
    ['too many tasks', { ...body, schema: { classifications: manyNames } }, /must name at most 1000 tasks, not 1001/],
    ['a task without labels', { ...body, schema: { classifications: [{ task: 'm' }] } }, /labels: is required/],
    [
      'a task of a map named entities',
      { ...body, schema: { classifications: { entities: ['a'] } } },
      /schema\.classifications\.entities: the name "entities" is taken/,
    ],
    [
      'two tasks of one name',
      {
        ...body,
        schema: {
          classifications: [
            { task: 'm', labels: ['a'] },
            { task: 'm', labels: ['b'] },
          ],
        },
      },
      /schema\.classifications\.1\.task: the name "m" is taken/,
    ],
    [
      'a structure named like a task',
      { ...body, schema: { classifications: { m: ['a'] }, structures: { m: ['x::str'] } } },
      /schema\.structures\.m: the name "m" is taken/,
    ],
    [
      'a field of no known type',
      { ...body, schema: { structures: { m: [{ name: 'x', dtype: 'int' }] } } },
      /dtype: must be one of str, list/,
    ],
    [
      'top_k of 0',
      { ...body, schema: { classifications: [{ task: 'm', labels: ['a'], top_k: 0 }] } },
      /top_k: must be from 1/,
    ],
  ])('%s is refused, naming it', (_, value, message) => {
    expect(problems(value).join('\n')).toMatch(message);
  });

  it('takes structures as fields, in an object, or as compact strings', () => {
    const structures = {
      trip: { fields: [{ name: 'to', dtype: 'str', description: 'a town', threshold: 0.2, choices: ['A', 'B'] }] },
      person: [
        { name: 'name' },
        'age',
        'born::str',
        'role::[boss|clerk]::what she does',
        'likes::list::a::b',
        'x::list::[a]',
      ],
    };
    expect(decodeEncoder({ ...body, schema: { structures } }).schema?.structures).toEqual([
      {
        name: 'trip',
        fields: [{ name: 'to', dtype: 'str', choices: ['A', 'B'], description: 'a town', threshold: 0.2 }],
      },
      {
        name: 'person',
        fields: [
          { name: 'name', dtype: 'list' },
          { name: 'age', dtype: 'list' },
          { name: 'born', dtype: 'str' },
          { name: 'role', dtype: 'str', choices: ['boss', 'clerk'], description: 'what she does' },
          { name: 'likes', dtype: 'list', description: 'a::b' },
          { name: 'x', dtype: 'list', choices: ['a'] },
        ],
      },
    ]);
  });

  it('takes relations as names, definitions or maps', () => {
    const relations = (value: unknown) => decodeEncoder({ ...body, schema: { relations: value } }).schema?.relations;
    expect(relations(['works_for', 'works_for'])).toEqual([{ name: 'works_for' }]);
    const ends = { head: 'person', tail: 'company', description: 'is paid by' };
    for (const key of ['name', 'relation', 'type'])
      expect(relations([{ [key]: 'works_for', ...ends }])).toEqual([{ name: 'works_for', ...ends }]);
    expect(relations({ works_for: 'is paid by', in: { tail: 'city', threshold: 0.3 } })).toEqual([
      { name: 'works_for', description: 'is paid by' },
      { name: 'in', tail: 'city', threshold: 0.3 },
    ]);
  });

  it('takes definitions in a map of entities', () => {
    const entities = { city: { description: 'a town', dtype: 'str', threshold: 0.1 }, person: 'somebody' };
    expect(decodeEncoder({ ...body, schema: { entities } }).schema?.entities).toEqual([
      { name: 'city', description: 'a town', threshold: 0.1, dtype: 'str' },
      { name: 'person', description: 'somebody' },
    ]);
  });

  describe('the native request with messages', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: 'there' },
        ],
      },
    ];
    const asked = { model_id: 'big', messages };

    it('is for a decoder', () => {
      const full = { ...asked, task: 'generate', max_tokens: 5, temperature: 0, top_p: 0.5, stop: 'x', store: false };
      expect(decodeNativeRequest(full)).toEqual({
        kind: 'decoder',
        modelId: 'big',
        store: false,
        projectId: null,
        isWarmup: false,
        generation: {
          messages: [
            { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
            {
              role: 'user',
              content: [
                { type: 'text', text: 'Hello' },
                { type: 'text', text: 'there' },
              ],
            },
          ],
          maxTokens: 5,
          temperature: 0,
          topP: 0.5,
          stop: ['x'],
        },
      });
    });

    it('ignores unknown fields of messages and parts, and names them', () => {
      const content = [{ type: 'text', text: 'Hello', annotations: [] }];
      const body = { ...asked, messages: [{ role: 'user', name: 'Anna', content, id: 'm1' }] };
      expect(decodeNativeRequest(body)).toMatchObject({
        generation: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] },
      });
      expect(ignoredIn(body)).toEqual(['messages.0.name', 'messages.0.id', 'messages.0.content.0.annotations']);
    });

    it.each<[string, object, RegExp]>([
      ['messages in words', { messages: 'Hello' }, /^body\.messages: must be a list/],
      ['no message', { messages: [] }, /^body\.messages: must name at least one/],
      ['a message without a role', { messages: [{ content: 'x' }] }, /messages\.0\.role: is required/],
      ['an unknown role', { messages: [{ role: 'boss', content: 'x' }] }, /messages\.0\.role: must be one of/],
      ['no content', { messages: [{ role: 'user' }] }, /messages\.0\.content: is required/],
      ['empty content', { messages: [{ role: 'user', content: '' }] }, /messages\.0\.content: .*not empty/],
      [
        'an image',
        { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
        /messages\.0\.content\.0\.type: must be text/,
      ],
      ['another task', { task: 'translate' }, /^body\.task: must be one of generate/],
      ['no tokens', { max_tokens: 0 }, /^body\.max_tokens: must be from 1/],
      ['half a token', { max_tokens: 1.5 }, /^body\.max_tokens: must be a whole number/],
      ['too warm', { temperature: 2.1 }, /^body\.temperature: must be from 0 to 2/],
      ['top_p above 1', { top_p: 1.1 }, /^body\.top_p: must be from 0 to 1/],
      ['a stop of nothing', { stop: '' }, /^body\.stop: .*not empty/],
      ['a text', { text: 'x' }, /^body\.text: is for encoder models/],
      ['a schema', { schema: ['a'] }, /^body\.schema: is for encoder models/],
      ['streaming', { stream: true }, /^body\.stream: .*\/v1\/messages/],
    ])('%s is refused, naming it', (_, more, message) => {
      expect(problems({ ...asked, ...more }).join('\n')).toMatch(message);
    });
  });

  it.each<[string, object, RegExp]>([
    ['the task generate', { task: 'generate' }, /^body\.messages: is required/],
    ['max_tokens', { max_tokens: 5 }, /^body\.max_tokens: is for decoder models/],
    [
      'a field without a name',
      { schema: { structures: { s: ['::str'] } } },
      /structures\.s\.0: must begin with the name/,
    ],
    ['a field that stands there twice', { schema: { structures: { s: ['a', 'a'] } } }, /s\.1: repeats the field/],
    ['a structure without fields', { schema: { structures: { s: [] } } }, /s: must name at least one field/],
    ['no structures', { schema: { structures: {} } }, /structures: must name at least one structure/],
    ['a structure called entities', { schema: { structures: { entities: ['a'] } } }, /is taken/],
    ['a structure called relation_extraction', { schema: { structures: { relation_extraction: ['a'] } } }, /is taken/],
    ['no relations', { schema: { relations: [] } }, /relations: must name at least one relation/],
    ['a relation without a name', { schema: { relations: [{ head: 'a' }] } }, /relations\.0\.name: is required/],
    ['relations in words', { schema: { relations: 'works_for' } }, /relations: must be a list or a map/],
  ])('refuses %s for an encoder by name', (_, more, message) => {
    expect(problems({ ...body, ...more }).join('\n')).toMatch(message);
  });

  it('names every fault at once', () => {
    expect(problems({ text: 1, threshold: -1, store: 'no' })).toHaveLength(4);
  });
});
