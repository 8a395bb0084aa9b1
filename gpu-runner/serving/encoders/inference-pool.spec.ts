import type { BaseModelFacts } from '#gpu-runner/contract/engines.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import { whereOf } from './counting-engine.fixture.js';
import { InferencePool } from './inference-pool.js';

describe('threads that run models', () => {
  const pool = new InferencePool({ maxAdapterBytes: 1e6 }, 2);
  const engine = builtin.module;
  const [{ directory: baseDirectory }] = builtin.baseModels as [BaseModelFacts];
  const part = { engine, workspaceId: 'w', baseDirectory, adapterDirectory: null, threshold: 0.5 };
  afterAll(() => pool.close());
  const run = async (...asked: Parameters<typeof pool.run>) => {
    const answer = await pool.run(...asked);
    if ('waiting' in answer) throw new Error('nothing waits');
    return answer;
  };
  const embed = async (...asked: Parameters<typeof pool.embed>) => {
    const reply = await pool.embed(...asked);
    if ('waiting' in reply || 'tooLong' in reply) throw new Error('none of them is too long');
    return reply;
  };

  it('answer a large batch in the order of its texts', async () => {
    const names = ['Maria', 'Peter', 'Anna', 'David', 'Laura'];
    const texts = Array.from({ length: 50 }, (_, index) => `My name is ${names[index % 5]!} and I live in Berlin.`);
    const { results, inputTokens } = await run({ ...part, texts, schema: { entities: [{ name: 'person' }] } });
    expect(inputTokens).toHaveLength(50);
    expect(results.map(({ entities }) => entities!['person']!.map(({ text }) => text).join())).toEqual(
      texts.map((_, index) => names[index % 5]),
    );
  });

  it('answer a batch as its texts one by one, however it is split', async () => {
    const sentence = 'Anna met Peter in Berlin. ';
    const texts = ['', 'x', '.'.repeat(9_000), sentence.repeat(400), sentence, ...Array(100).fill(sentence.repeat(3))];
    const schema = {
      entities: [{ name: 'person' }, { name: 'nothing known' }],
      classifications: [{ task: 'mood', labels: ['good', 'bad'], multiLabel: false }],
    };
    const batch = await run({ ...part, texts, schema });
    const alone = await Promise.all(texts.map((text) => run({ ...part, texts: [text], schema })));
    expect(batch.results).toEqual(alone.flatMap(({ results }) => results));
    expect(batch.inputTokens).toEqual(alone.flatMap(({ inputTokens }) => inputTokens));
    expect(batch.warnings).toEqual(alone[0]!.warnings);
  });

  it("answer another workspace's calls while a large one is read", async () => {
    const schema = { entities: [{ name: 'person' }] };
    const order: string[] = [];
    const stop = new AbortController();
    const large = run(
      { ...part, workspaceId: 'large', texts: Array(16).fill('.'.repeat(50_000)), schema },
      stop.signal,
    );
    void large.finally(() => order.push('large')).catch(() => undefined);
    for (let call = 0; call < 50; call += 1) {
      const { results } = await run({ ...part, workspaceId: 'small', texts: ['My name is Maria.'], schema });
      expect(results[0]!.entities!['person']).toHaveLength(1);
      order.push('small');
    }
    expect(order).toEqual(Array(50).fill('small'));
    stop.abort(new Error('gone'));
    await expect(large).rejects.toThrow('gone');
  });

  it('give the thread for short calls the first one of an engine that was fast before', async () => {
    const one = new InferencePool({ maxAdapterBytes: 1e6 }, 1);
    const stop = new AbortController();
    const call = { ...part, engine: new URL('counting-engine.fixture.js', import.meta.url).href, schema: {} };
    const asked = async (texts: string[], signal?: AbortSignal) => {
      const answer = await one.run({ ...call, workspaceId: texts[0]!, texts }, signal);
      if ('waiting' in answer) throw new Error('nothing waits');
      return whereOf(answer.inputTokens[0]!);
    };
    try {
      const first = await asked(['short']);
      void asked(['.'.repeat(5_000)], stop.signal).catch(() => undefined);
      let answered = first;
      while (answered.thread === first.thread) answered = await asked(['short']);
      expect(answered.runs).toBeGreaterThan(1);
    } finally {
      stop.abort(new Error('gone'));
      await one.close();
    }
  });

  it('stop reading a text that no caller waits for', async () => {
    const schema = { entities: [{ name: 'person' }] };
    const one = new InferencePool({ maxAdapterBytes: 1e6 }, 1);
    try {
      const stop = new AbortController();
      const large = one.run({ ...part, texts: Array(200).fill('.'.repeat(50_000)), schema }, stop.signal);
      await one.run({ ...part, workspaceId: 'b', texts: ['x'], schema });
      stop.abort(new Error('gone'));
      await expect(large).rejects.toThrow('gone');
      // Four minutes of work are left: closing would wait for it.
      await one.close();
    } finally {
      await one.close();
    }
  });

  it('return the warnings of parts once', async () => {
    const texts = Array.from({ length: 80 }, () => 'Nothing here.');
    const { warnings } = await run({ ...part, texts, schema: { entities: [{ name: 'flurbility' }] } });
    expect(warnings).toEqual([expect.objectContaining({ code: 'unresolved_label', label: 'flurbility' })]);
  });

  it('return warnings that differ only in their message separately', async () => {
    const texts = Array.from({ length: 80 }, () => 'Nothing here.');
    const task = (name: string) => ({
      task: name,
      labels: ['good', 'bad'],
      multiLabel: false,
      descriptions: [{ label: 'bad', description: 'not good' }],
    });
    const schema = {
      entities: [{ name: 'person', description: 'a human' }],
      classifications: [task('mood'), task('tone')],
    };
    const [many, one] = await Promise.all(
      [texts, texts.slice(0, 1)].map((some) => run({ ...part, texts: some, schema })),
    );
    expect(one!.warnings).toHaveLength(3);
    expect(many!.warnings).toEqual(one!.warnings);
  });

  it('drop the rest of a batch that no caller waits for', async () => {
    const texts = Array.from({ length: 1_000 }, () => 'My name is Maria.');
    const stop = new AbortController();
    const run = pool.run({ ...part, texts, schema: { entities: [{ name: 'person' }] } }, stop.signal);
    stop.abort(new Error('gone'));
    await expect(run).rejects.toThrow('gone');
  });

  it('refuse a base model without a schema by a code', async () => {
    const refused = pool.run({ ...part, texts: ['x'], schema: null });
    await expect(refused).rejects.toMatchObject({ code: 'schema_required' });
  });

  it('answer a label called __proto__ like any other', async () => {
    const { results } = await run({ ...part, texts: ['x'], schema: { entities: [{ name: '__proto__' }] } });
    expect(Object.keys(results[0]!.entities!)).toEqual(['__proto__']);
  });

  describe('threads that run the embedder', () => {
    const call = { engine, workspaceId: 'w', modelId: 'anneal/embedder-base-v1', dimensions: 8 };
    const decoded = (vector: string) =>
      Array.from(new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer));

    it('answer many texts in order, each as alone', async () => {
      const texts = Array.from({ length: 300 }, (_, index) => `Text number ${index} ${'of many words '.repeat(20)}`);
      const reply = await embed({ ...call, texts });
      const alone = await embed({ ...call, texts: [texts[217]!] });
      expect(reply.vectors).toHaveLength(300);
      expect(reply.vectors[217]).toBe(alone.vectors[0]);
      expect(reply.inputTokens).toEqual(texts.map(() => 63));
      expect(Math.hypot(...decoded(alone.vectors[0]!))).toBeCloseTo(1, 5);
    });

    it('name a text that is too long by its index among all', async () => {
      const texts = Array.from({ length: 40 }, () => 'word '.repeat(1_000));
      const reply = await pool.embed({ ...call, texts: [...texts, 'word '.repeat(8_193), 'word'] });
      expect(reply).toEqual({ tooLong: 40 });
    });

    it('drop the rest of texts that no caller waits for', async () => {
      const texts = Array.from({ length: 200 }, () => 'word '.repeat(1_000));
      const stop = new AbortController();
      const run = pool.embed({ ...call, texts }, stop.signal);
      stop.abort(new Error('gone'));
      await expect(run).rejects.toThrow('gone');
    });
  });
});
