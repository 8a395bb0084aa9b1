import { InvalidError } from '#domain/errors.js';
import { decodeNativeRequest } from './decode.js';

const body = { model_id: 'anneal/encoder-base-v1', text: 'Maria flew to Lisbon.', schema: ['person', 'city'] };

const manyNames = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`name ${n}`, 'x']));

/** What is refused, as `path: message` lines. */
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
  test('a flat list of labels is a schema of entities', () => {
    const request = decodeNativeRequest(body);
    expect(request.schema?.entities).toEqual([{ name: 'person' }, { name: 'city' }]);
    expect(request).toMatchObject({ texts: [body.text], batch: false, threshold: 0.5, store: true });
  });

  test('entities come as definitions or as a map from label to description, too', () => {
    const definitions = [{ name: 'city', description: 'a town', threshold: 0.3, dtype: 'str' }];
    expect(decodeNativeRequest({ ...body, schema: { entities: definitions } }).schema?.entities).toEqual(definitions);
    expect(decodeNativeRequest({ ...body, schema: { entities: { city: 'a town' } } }).schema?.entities).toEqual([
      { name: 'city', description: 'a town' },
    ]);
  });

  test('a label called __proto__ is a label like any other', () => {
    const schema = JSON.parse('{"entities": ["__proto__", "constructor"]}') as unknown;
    expect(decodeNativeRequest({ ...body, schema }).schema?.entities).toEqual([
      { name: '__proto__' },
      { name: 'constructor' },
    ]);
  });

  test('tasks come as a list or as a map from task to labels', () => {
    const expected = [{ task: 'mood', labels: ['good', 'bad'], multiLabel: false }];
    const list = [{ task: 'mood', labels: ['good', 'bad', 'good'] }];
    expect(decodeNativeRequest({ ...body, schema: { classifications: list } }).schema?.classifications).toEqual(
      expected,
    );
    const map = { mood: ['good', 'bad'] };
    expect(decodeNativeRequest({ ...body, schema: { classifications: map } }).schema?.classifications).toEqual(
      expected,
    );
  });

  test.each<[string, unknown, RegExp]>([
    ['no body', undefined, /^body: is required: send a JSON object$/],
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
    ['messages', { model_id: 'm', messages: [{ role: 'user', content: 'x' }] }, /^body\.messages: is for decoder/],
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
    ['a task named entities', { ...body, schema: { classifications: { entities: ['a'] } } }, /is taken/],
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
      /is taken/,
    ],
    [
      'a structure named like a task',
      { ...body, schema: { classifications: { m: ['a'] }, structures: { m: ['x::str'] } } },
      /is taken/,
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

  test('everything that is wrong is named at once', () => {
    expect(problems({ text: 1, threshold: -1, store: 'no' })).toHaveLength(4);
  });
});
