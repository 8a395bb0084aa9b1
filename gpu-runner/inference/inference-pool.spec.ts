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

  describe('that run the embedder', () => {
    const call = { modelId: 'anneal/embedder-base-v1', dimensions: 8 };
    const decoded = (vector: string) =>
      Array.from(new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer));

    test('many texts are answered in their order, each as it is alone', async () => {
      const texts = Array.from({ length: 300 }, (_, index) => `Text number ${index} ${'of many words '.repeat(20)}`);
      const reply = await pool.embed({ ...call, texts });
      const alone = await pool.embed({ ...call, texts: [texts[217]!] });
      if ('tooLong' in reply || 'tooLong' in alone) throw new Error('none of them is too long');
      expect(reply.vectors).toHaveLength(300);
      expect(reply.vectors[217]).toBe(alone.vectors[0]);
      expect(reply.inputTokens).toEqual(texts.map(() => 63));
      expect(Math.hypot(...decoded(alone.vectors[0]!))).toBeCloseTo(1, 5);
    });

    test('which text is too long is told by its place among all', async () => {
      const texts = Array.from({ length: 40 }, () => 'word '.repeat(1_000));
      const reply = await pool.embed({ ...call, texts: [...texts, 'word '.repeat(8_193), 'word'] });
      expect(reply).toEqual({ tooLong: 40 });
    });

    test('of texts that nobody waits for any more, the rest is not run', async () => {
      const texts = Array.from({ length: 200 }, () => 'word '.repeat(1_000));
      const stop = new AbortController();
      const run = pool.embed({ ...call, texts }, stop.signal);
      stop.abort(new Error('gone'));
      await expect(run).rejects.toThrow('gone');
    });
  });
});
