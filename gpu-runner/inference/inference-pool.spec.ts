import { BASE_MODELS } from '../base-models.js';
import { InferencePool } from './inference-pool.js';
import { INFERENCE_ERRORS } from './protocol.js';

describe('threads that run models', () => {
  const pool = new InferencePool({ mostAdapterBytes: 1e6 }, 2);
  const [baseDirectory] = [...BASE_MODELS.values()];
  const part = { baseDirectory: baseDirectory!, adapterDirectory: null, threshold: 0.5 };
  afterAll(() => pool.close());

  test('a large batch is answered in the order of its texts', async () => {
    const names = ['Maria', 'Peter', 'Anna', 'David', 'Laura'];
    const texts = Array.from({ length: 50 }, (_, index) => `My name is ${names[index % 5]!} and I live in Berlin.`);
    const { results, inputTokens } = await pool.run({ ...part, texts, schema: { entities: [{ name: 'person' }] } });
    expect(inputTokens).toHaveLength(50);
    expect(results.map(({ entities }) => entities!['person']!.map(({ text }) => text).join())).toEqual(
      texts.map((_, index) => names[index % 5]),
    );
  });

  test('warnings of its parts are given once', async () => {
    const texts = Array.from({ length: 40 }, () => 'Nothing here.');
    const { warnings } = await pool.run({ ...part, texts, schema: { entities: [{ name: 'flurbility' }] } });
    expect(warnings).toEqual([expect.objectContaining({ code: 'unresolved_label', label: 'flurbility' })]);
  });

  test('of a batch that nobody waits for any more, the rest is not run', async () => {
    const texts = Array.from({ length: 1_000 }, () => 'My name is Maria.');
    const stop = new AbortController();
    const run = pool.run({ ...part, texts, schema: { entities: [{ name: 'person' }] } }, stop.signal);
    stop.abort(new Error('gone'));
    await expect(run).rejects.toThrow('gone');
  });

  test('a base model without a schema is refused by a code', async () => {
    const refused = pool.run({ ...part, texts: ['x'], schema: null });
    await expect(refused).rejects.toMatchObject({ code: INFERENCE_ERRORS.schemaRequired });
  });

  test('a label called __proto__ is answered like any other', async () => {
    const { results } = await pool.run({ ...part, texts: ['x'], schema: { entities: [{ name: '__proto__' }] } });
    expect(Object.keys(results[0]!.entities!)).toEqual(['__proto__']);
  });
});
