import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCatalog } from '#model-catalog/read.js';
import { describeWithPack } from '#test/packs/maven-packs.js';
import { correlation, readSentences } from '#test/quality/sentence-pairs.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import type { Embedder } from '../embedder.js';
import { ArtifactError } from '../engine.js';
import { enginesWith } from '../engines.js';
import { drain } from '../steps.js';
import { EMBEDDER } from './facts.js';
import { engine } from './index.js';

const { id, pack, dimensions } = EMBEDDER;

await describeWithPack(pack, (modelsDir) => {
  const directory = join(modelsDir, pack);
  const embed = (embedder: Embedder, texts: readonly string[]) => {
    const { vectors } = drain(embedder.embed(texts, dimensions));
    return texts.map((_, index) => vectors.slice(index * dimensions, (index + 1) * dimensions));
  };

  describe('its embedder', () => {
    let embedder: Embedder;
    beforeAll(() => {
      embedder = engine.embedder!(id, directory);
    });

    it('gives a text the same vector, bit for bit, whatever is embedded beside it and before it', () => {
      const text = 'The parcel has not arrived in Lyon.';
      const [alone] = embed(embedder, [text]);
      const beside = embed(embedder, ['!', text, 'A much longer text about something else entirely. '.repeat(20)]);
      const [again] = embed(engine.embedder!(id, directory), [text]);
      expect(Buffer.from(beside[1]!.buffer)).toEqual(Buffer.from(alone!.buffer));
      expect(Buffer.from(again!.buffer)).toEqual(Buffer.from(alone!.buffer));
    });

    it('gives vectors of length 1, nearer for nearer meanings', () => {
      const [late, missing, cake] = embed(embedder, ['My parcel is late.', 'Where is my package?', 'I like cake.']);
      expect(Math.hypot(...late!)).toBeCloseTo(1, 5);
      const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
      expect(dot(late!, missing!)).toBeGreaterThan(dot(late!, cake!) + 0.1);
    });

    it('reads no text of more than 512 tokens, and says which one is longer', () => {
      const { inputTokens } = drain(embedder.embed(['word '.repeat(510), 'word '.repeat(511)], dimensions));
      expect(inputTokens).toEqual([512, null]);
    });

    it('reads an empty text, broken surrogates and a word of 100,000 letters', () => {
      const { inputTokens } = drain(embedder.embed(['', '\ud800', 'a'.repeat(100_000)], dimensions));
      expect(inputTokens).toEqual([2, expect.any(Number), 3]);
    });

    it('is as good as the catalog says', () => {
      const heldOut = readSentences().pairs.filter(({ part }) => part === 'held-out');
      const measured = correlation((texts) => embed(embedder, texts), heldOut);
      const { description } = readCatalog().resolve(id)!;
      const [, said] = /correlate with the grades at (0\.\d{3})/.exec(description)!;
      // Processors differ in the last bits.
      expect(measured).toBeCloseTo(Number(said), 2);
    });
  });

  it('is not used when a byte of it has changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'damaged-pack-'));
    try {
      await cp(directory, folder, { recursive: true });
      const bytes = readFileSync(join(folder, 'model.onnx'));
      bytes[bytes.length >> 1]! ^= 1;
      await writeFile(join(folder, 'model.onnx'), bytes);
      expect(() => engine.embedder!(id, folder)).toThrow(ArtifactError);
      expect(() => engine.embedder!(id, folder)).toThrow(/model\.onnx differs/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  describe('an API that started with it', () => {
    let api: TestApi;
    beforeAll(async () => {
      api = await startTestApi({}, [], {}, enginesWith([modelsDir]));
    });
    afterAll(() => api.close());

    it('lists the embedder and answers /v1/embeddings with it', async () => {
      const { body: models } = await api.call('GET', '/base-models?task_type=embedding');
      expect(JSON.stringify(models)).toContain(id);
      const { status, body } = await api.call('POST', '/v1/embeddings', {
        model: id,
        input: ['Where is it?', 'Here.'],
      });
      expect([status, body.usage]).toEqual([200, { prompt_tokens: 10, total_tokens: 10 }]);
      expect(body.data.map(({ embedding }: { embedding: number[] }) => embedding.length)).toEqual([384, 384]);
    });

    it('refuses a text of more tokens than it reads', async () => {
      const { status, body } = await api.call('POST', '/v1/embeddings', {
        model: id,
        input: ['a', 'word '.repeat(600)],
      });
      expect(status).toBe(422);
      expect(JSON.stringify(body)).toContain('at most 512 tokens');
    });
  });
});

describe('an API that started without the pack', () => {
  it('neither lists nor serves its embedder', async () => {
    const api = await startTestApi({}, [], {}, enginesWith([]));
    const { body: models } = await api.call('GET', '/base-models?task_type=embedding');
    expect(JSON.stringify(models)).not.toContain(id);
    const { status } = await api.call('POST', '/v1/embeddings', { model: id, input: 'a' });
    await api.close();
    expect(status).toBe(404);
  });
});
