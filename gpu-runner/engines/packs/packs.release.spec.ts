import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCatalog } from '#models/catalog/read.js';
import { knownPack, readPack } from '#models/packs/index.js';
import { describeWithPack } from '#test/packs/maven-packs.js';
import { correlation, readSentences } from '#test/quality/sentence-pairs.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import type { TrainingJobRecord } from '#apps/api/routes/training-jobs/reading/responses.js';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import type { Embedder } from '../embedder.js';
import { ArtifactError } from '../engine.js';
import { enginesWith } from '../engines.js';
import { drain } from '../steps.js';
import { PACK_EMBEDDER, ENCODER } from './facts.js';
import { engine } from './index.js';
import { cutGraph } from './onnx-graph.js';
import { PackEncoder } from './pack-encoder.js';
import { scaled } from './vectors.js';
import { textFeeds } from './session.js';
import { wasmRuntime } from './wasm-runtime.js';

const { id, pack, dimensions } = PACK_EMBEDDER;

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

    it('gives a text the same vector, bit for bit, whatever is embedded with it and before it', () => {
      const text = 'The parcel has not arrived in Lyon.';
      const [alone] = embed(embedder, [text]);
      const beside = embed(embedder, ['!', text, 'A much longer text about something else entirely. '.repeat(20)]);
      const [again] = embed(engine.embedder!(id, directory), [text]);
      expect(Buffer.from(beside[1]!.buffer)).toEqual(Buffer.from(alone!.buffer));
      expect(Buffer.from(again!.buffer)).toEqual(Buffer.from(alone!.buffer));
    });

    it('gives vectors of length 1, closer for closer meanings', () => {
      const [late, missing, cake] = embed(embedder, ['My parcel is late.', 'Where is my package?', 'I like cake.']);
      expect(Math.hypot(...late!)).toBeCloseTo(1, 5);
      const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
      expect(dot(late!, missing!)).toBeGreaterThan(dot(late!, cake!) + 0.1);
    });

    it('gives about the same vectors in WebAssembly as in native code', async () => {
      const known = knownPack(pack)!;
      const content = readPack(known, directory);
      const encoder = new PackEncoder({ pack: known, ...content });
      const open = await wasmRuntime();
      const session = open(cutGraph(content.model, [known.output]), [known.output]);
      for (const text of ['My parcel is late.', 'Where is the bus to the airport, and when does it leave?']) {
        const ids = encoder.tokens(text);
        const native = scaled(encoder.sentence(ids));
        const { data } = session.run(textFeeds(session, ids))[known.output]!;
        const wasm = scaled(data.slice(0, dimensions));
        expect(native.reduce((sum, value, at) => sum + value * wasm[at]!, 0)).toBeGreaterThan(0.995);
      }
    });

    it('refuses texts of more than 512 tokens, and names the one that is longer', () => {
      const { inputTokens } = drain(embedder.embed(['word '.repeat(510), 'word '.repeat(511)], dimensions));
      expect(inputTokens).toEqual([512, null]);
    });

    it('reads an empty text, broken surrogates and a word of 100,000 letters', () => {
      const { inputTokens } = drain(embedder.embed(['', '\ud800', 'a'.repeat(100_000)], dimensions));
      expect(inputTokens).toEqual([2, expect.any(Number), 3]);
    });

    it('is as good as the catalog states', () => {
      const heldOut = readSentences().pairs.filter(({ part }) => part === 'held-out');
      const measured = correlation((texts) => embed(embedder, texts), heldOut);
      const { description } = readCatalog().resolve(id)!;
      const [, said] = /correlate with the grades at (0\.\d{3})/.exec(description)!;
      // Processors differ in the last bits.
      expect(measured).toBeCloseTo(Number(said), 2);
    });
  });

  describe('its base model', () => {
    const model = () => engine.load(directory, null);
    const intent = (topK?: number) => ({
      classifications: [
        { task: 'intent', labels: ['refund', 'delivery', 'refund'], multiLabel: false, ...(topK && { topK }) },
      ],
    });

    it('finds entities of labels that it was not trained on, by the meaning of their names', () => {
      const entities = ['protein', 'scientist', 'discipline', 'city'].map((name) => ({ name }));
      const texts = ['Frances Arnold of Pasadena engineered the protein subtilisin.'];
      const { results, warnings } = drain(model().infer({ texts, schema: { entities }, threshold: null }));
      const { scientist, city } = results[0]!.entities!;
      expect([scientist, city].map((hits) => hits!.map(({ text }) => text))).toEqual([
        ['Frances Arnold'],
        ['Pasadena'],
      ]);
      expect(warnings).toMatchObject([{ code: 'unresolved_label', label: 'protein' }]);
    });

    it('gives probabilities that sum to 1, the best first', () => {
      const { results } = drain(model().infer({ texts: ['Where is it?'], schema: intent(5), threshold: 0.5 }));
      const hits = results[0]!.classifications!['intent']!;
      expect(hits.map(({ label }) => label)).toEqual(['delivery', 'refund']);
      expect(hits[0]!.confidence + hits[1]!.confidence).toBeCloseTo(1, 10);
    });

    it('reports a text as truncated if its end was not read', () => {
      const texts = [
        ...['Where is my parcel?', `Where is my parcel?${' '.repeat(100_000)}`],
        ...['Where is my parcel? '.repeat(200), 'parcel '.repeat(100_000)],
      ];
      const { results } = drain(model().infer({ texts, schema: intent(), threshold: 0.5 }));
      expect(results.map(({ truncated }) => truncated)).toEqual([false, false, true, true]);
      expect(results.map(({ classifications }) => classifications!['intent']![0]!.label)).toEqual(
        Array(4).fill('delivery'),
      );
    });

    it('is evaluated on rows of unseen classes', () => {
      const examples = [
        { text: 'I want my money back.', labels: ['refund'] },
        { text: 'When will the parcel be here?', labels: ['delivery'] },
        { text: 'Maria flew to Berlin.', entities: [{ start: 14, end: 20, label: 'city' }] },
      ];
      const { figures, predictions } = model().evaluate(examples);
      expect(predictions).toMatchObject(examples);
      expect(figures.f1).toBe(1);
    });

    it('is identified by its manifest', async () => {
      expect(await baseModelSha256(directory)).toMatch(/^[0-9a-f]{64}$/);
    });
  });

  it('is not used if one byte of it has changed', async () => {
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

  it('is read once for the embedder and the base model', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'shared-pack-'));
    try {
      await cp(directory, folder, { recursive: true });
      const embedder = engine.embedder!(id, folder);
      await rm(join(folder, 'model.onnx'));
      await rm(join(folder, 'tokenizer.json'));
      expect(() => engine.load(folder, null)).not.toThrow();
      expect(embed(engine.embedder!(id, folder), ['a'])).toEqual(embed(embedder, ['a']));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  describe('an API that started with it', () => {
    let api: TestApi;
    beforeAll(async () => {
      api = await startTestApi({}, { engines: enginesWith([modelsDir], []) });
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

    it('chooses a label by its meaning if text and label share no word', async () => {
      const { status, body } = await api.call('POST', '/inference', {
        model_id: ENCODER.id,
        text: 'I want my money back for the shoes that I bought in Paris.',
        schema: {
          entities: ['city'],
          classifications: [
            { task: 'intent', labels: ['delivery_time', 'refund', 'password_reset'] },
            { task: 'topics', labels: ['shoes', 'weather'], multi_label: true },
            { task: 'code', labels: { a1: 'The customer wants to be paid back.', a2: 'Something has not arrived.' } },
          ],
        },
      });
      expect([status, body.detail]).toEqual([200, undefined]);
      expect(body.result.entities.city).toMatchObject([{ text: 'Paris' }]);
      expect(body.result.intent ?? body.result.classifications?.intent).toMatchObject({ label: 'refund' });
      expect(body.result.topics.map(({ label }: { label: string }) => label)).toEqual(['shoes']);
      expect(body.result.code).toMatchObject({ label: 'a1' });
      expect(JSON.stringify(body)).toContain('judged by the meaning of the label names');
      expect(JSON.stringify(body)).not.toContain('unused_description');
    });

    describe('and a model trained on its base model', () => {
      const wishes = {
        refund: ['I want my money back for the *', 'please return what I paid for a *', 'reimburse me for these *'],
        delivery: ['where is the * that I ordered', 'my * have not come', 'when will the * arrive'],
      };
      const items = ['shoes', 'lamp', 'green tea', 'chair'];
      const lines = Object.entries(wishes)
        .flatMap(([label, frames]) => frames.flatMap((frame) => items.map((item) => ({ label, item, frame }))))
        .map(({ label, item, frame }) =>
          JSON.stringify({ text: frame.replace('*', item), label, entities: [[item, 'item']] }),
        )
        .join('\n');
      let client: TrainingClient;
      let job: TrainingJobRecord;
      beforeAll(async () => {
        await uploadDataset(api, { dataset_name: 'wishes', filename: 'a.jsonl' }, lines);
        client = new TrainingClient(api);
        const { id: jobId } = await client.start({ base_model: ENCODER.id, datasets: [{ name: 'wishes' }] });
        job = await client.ended(jobId);
      });

      it('is complete, and names its base model', () => {
        expect(job).toMatchObject({ status: 'complete', labels: ['delivery', 'item', 'refund'] });
        expect(JSON.stringify(job)).toContain(ENCODER.id);
      });

      it('answers with its learned classes and entities, without a warning', async () => {
        const schema = {
          entities: ['item'],
          classifications: [{ task: 'intent', labels: ['refund', 'delivery'] }],
        };
        const { status, body } = await api.call('POST', '/inference', {
          model_id: job.id,
          text: 'The parcel with the lamp is late.',
          schema,
        });
        const result = { intent: { label: 'delivery' }, entities: { item: [{ text: 'lamp' }] } };
        expect({ status, body }).toMatchObject({ status: 200, body: { result } });
        expect(JSON.stringify(body)).not.toContain('judged by');
      });

      it('explains its classes by training rows with the same meaning', async () => {
        const text = 'give back what these shoes cost';
        const { status, body } = await api.call('POST', '/inference', { model_id: job.id, text, explain: true });
        expect([status, body.result.classification.label]).toEqual([200, 'refund']);
        expect(body.explanation.nearest_rows).toHaveLength(3);
        expect(body.explanation.nearest_rows[0]).toMatchObject({ labels: ['refund'], dataset_name: 'wishes' });
        expect(body.warnings).toBeUndefined();
      });

      it('is evaluated on a dataset', async () => {
        const { status, f1 } = await client.evaluate({ base_model: job.id, dataset_name: 'wishes' });
        expect(status).toBe('complete');
        expect(f1).toBeGreaterThan(0.95);
      });
    });

    it('refuses a text with too many tokens', async () => {
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
    const api = await startTestApi({}, { engines: enginesWith([], []) });
    const { body: models } = await api.call('GET', '/base-models?task_type=embedding');
    expect(JSON.stringify(models)).not.toContain(id);
    const { status } = await api.call('POST', '/v1/embeddings', { model: id, input: 'a' });
    await api.close();
    expect(status).toBe(404);
  });
});
