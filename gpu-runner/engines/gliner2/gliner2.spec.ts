import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGliner } from '#test/gliner/tiny.js';
import { readGliner2Config, type Gliner2Config } from '#models/imported/index.js';
import { answers, expectedOf, filesOf, KINDS, writeGliner2, type Kind } from '#test/gliner2/tiny.js';
import type { Example, InferSchema, LoadedModel } from '../engine.js';
import { isInstalled, WASM } from '../packs/installed.js';
import { nativeRuntime } from '../packs/native-runtime.js';
import { int64, type Feed } from '../packs/session.js';
import { wasmRuntime } from '../packs/wasm-runtime.js';
import { drain } from '../steps.js';
import { readingGraph, relativeIndices, Weights } from './graph/index.js';
import { engine } from './index.js';

const recorded = await answers();
const wasm = isInstalled(WASM.code) ? wasmRuntime() : null;

describe.each(KINDS)('an imported GLiNER2 model of the kind %s', (kind: Kind) => {
  let folder: string;
  let model: LoadedModel;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner2-'));
    await writeGliner2(join(folder, 'source'), kind);
    model = engine.load(await importGliner(join(folder, 'source'), 'ada/gliner', join(folder, 'models')), null);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(recorded[kind].map((answer, at) => [at, answer] as const))(
    'answers as the torch engine does, with its confidences (%i)',
    (_, { text, schema, threshold, result }) => {
      const { results } = drain(model.infer({ texts: [text], schema, threshold }));
      expect(results[0]).toEqual(expectedOf(result, text));
    },
  );

  (wasm ? it : it.skip)('gives the same numbers as in WebAssembly', async () => {
    const directory = join(folder, 'models', 'ada--gliner');
    const config = readGliner2Config(directory);
    const { distances, ...lists } = {
      distances: distancesOf(9, config),
      ids: [5, 6, 7, 8, 9, 8, 7, 6, 5],
      words: [5, 6, 7],
    };
    const feeds = {
      ...Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, list(values)])),
      ...{ distances, prompts: list([1]), fields: list([2, 3]), choices: list([4]) },
    };
    const graph = readingGraph(Weights.open(join(directory, 'model.safetensors')), config);
    const outputs = ['word_vectors', 'field_vectors', 'counts', 'choice_scores'];
    const numbers = { folder: directory, name: 'model.safetensors' };
    const [theirs, ours] = [(await wasm!)(graph, outputs, numbers), nativeRuntime()(graph, outputs, numbers)].map(
      (session) => session.run(feeds),
    );
    for (const name of outputs)
      expect([...theirs![name]!.data]).toEqual([...ours![name]!.data].map((value) => expect.closeTo(value, 4)));
  });
});

const list = (values: readonly number[]): Feed => ({ type: 'int64', data: int64(values), dims: [values.length] });

const distancesOf = (tokens: number, { encoder }: Gliner2Config): Feed => ({
  ...{ type: 'int64', data: relativeIndices(tokens, encoder.relative!), dims: [1, tokens, tokens] },
});

describe('a GLiNER2 model', () => {
  let model: LoadedModel;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gliner2-'));
    try {
      // A header whose length is no multiple of the numbers' bytes, as older writers left it.
      const weights = (await filesOf('lstm'))['model.safetensors']!;
      const end = 8 + Number(weights.readBigUInt64LE());
      const header = Buffer.concat([weights.subarray(0, end), Buffer.from(' ')]);
      header.writeBigUInt64LE(BigInt(header.length - 8));
      const unaligned = Buffer.concat([header, weights.subarray(end)]);
      await writeGliner2(join(folder, 'source'), 'lstm', { 'model.safetensors': unaligned });
      model = engine.load(await importGliner(join(folder, 'source'), 'ada/gliner', join(folder, 'models')), null);
    } finally {
      // What it needs is mapped into memory.
      await rm(folder, { recursive: true });
    }
  });

  const infer = (text: string, schema: InferSchema, threshold: number | null = null) =>
    drain(model.infer({ texts: [text], schema, threshold }));

  it('answers from weights that are not aligned in their file', async () => {
    const { text, schema, threshold, result } = (await answers()).lstm[5]!;
    expect(infer(text, schema, threshold).results[0]).toEqual(expectedOf(result, text));
  });

  it('reads a text as far as it fits beside the schema, and says so', () => {
    const entities = [{ name: 'person', threshold: 0 }];
    const { results, inputTokens } = infer('😀 Ada met Bob in Rome. '.repeat(60), { entities, flatNer: false });
    expect([results[0]!.truncated, inputTokens[0]! <= 320]).toEqual([true, true]);
    expect(inputTokens[0]).toBeGreaterThan(280);
    expect(infer(`Ada ${'x'.repeat(20_000)}`, { entities }).results[0]).toMatchObject({ truncated: true });
  });

  it('answers texts without words, and with half characters', () => {
    const classifications = [
      { task: 'one', labels: ['a', 'b'], multiLabel: false },
      { task: 'some', labels: ['a', 'b'], multiLabel: true, threshold: 0 },
    ];
    const schema = { entities: [{ name: 'x' }], classifications, structures: [{ name: 's', fields: [] }] };
    const half = [{ label: 'a', confidence: 0.5 }];
    const none = ['a', 'b'].map((label) => ({ label, confidence: 0 }));
    expect(infer(' \n', schema).results[0]).toEqual({
      ...{ entities: { x: [] }, classifications: { one: half, some: none }, structures: { s: [] }, truncated: false },
    });
    expect(
      infer('\ud800 Ada', { entities: [{ name: 'x', threshold: 0 }] }).results[0]!.entities!['x']![0],
    ).toMatchObject({
      text: expect.any(String),
    });
  });

  it('warns that the types of the ends of a relation are not checked', () => {
    const { warnings } = infer('Ada', { relations: [{ name: 'met', head: 'person' }] });
    expect(warnings).toMatchObject([{ code: 'unchecked_type', label: 'person' }]);
  });

  it('is evaluated on rows of all heads', () => {
    const text = 'Ada met Bob in Rome.';
    const [ada, rome] = [
      { start: 0, end: 3 },
      { start: 15, end: 19 },
    ];
    const rows: Example[] = [
      { text, entities: [{ ...ada, label: 'person' }], labels: ['told'] },
      { text, relations: [{ name: 'in', head: ada, tail: rome }] },
      { text, structures: [{ name: 'home', fields: [{ name: 'who', isList: false, values: [ada] }] }] },
    ];
    let calls = 0;
    const { predictions, figures } = model.evaluate(rows, () => calls++);
    expect([calls, predictions.map((each) => Object.keys(each).toSorted())]).toEqual([
      3,
      [
        ['entities', 'entityConfidences', 'labelConfidences', 'labels', 'text'],
        ['relations', 'text'],
        ['structures', 'text'],
      ],
    ]);
    expect(predictions[0]!.labels).toEqual(['told']);
    const found = infer(text, { relations: [{ name: 'in' }] }).results[0]!.relations!['in']!;
    const ends = found.map(({ head, tail }) => [head.start, tail.end]);
    expect(predictions[1]!.relations!.map(({ head, tail }) => [head.start, tail.end])).toEqual(ends);
    expect(figures.perLabel).toMatchObject({ person: { support: 1 }, told: { support: 1 } });
  });
});
