import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodePoints } from '#domain/code-points.js';
import { answers, filesOf, importGliner, KINDS, writeGliner, type Answer, type Kind } from '#test/gliner/tiny.js';
import { RefusedSchemaError } from '../encoder-engine.js';
import { ArtifactError, UnsupportedHeadError, type EntityQuery, type LoadedModel } from '../engine.js';
import { isInstalled, WASM } from '../packs/installed.js';
import { wasmRuntime } from '../packs/wasm-runtime.js';
import { drain } from '../steps.js';
import { feedsOf } from './feeds.js';
import { openGliner } from './graph.js';
import { engine } from './index.js';
import { promptOf } from './prompt.js';
import { wordsOf } from './words.js';

const recorded = await answers();
const wasm = isInstalled(WASM.code) ? wasmRuntime() : null;

const queriesOf = (labels: Answer['labels']): readonly EntityQuery[] =>
  Array.isArray(labels)
    ? labels.map((name: string) => ({ name }))
    : Object.entries(labels as Record<string, string>).map(([name, description]) => ({ name, description }));

describe.each(KINDS)('an imported GLiNER model of the kind %s', (kind: Kind) => {
  let folder: string;
  let model: LoadedModel;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner-'));
    await writeGliner(join(folder, 'source'), kind);
    model = engine.load(await importGliner(join(folder, 'source'), 'ada/gliner', join(folder, 'models')), null);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Hits of a text in text order. */
  const found = (text: string, entities: readonly EntityQuery[], flat = true, threshold: number | null = null) => {
    const schema = { entities, flatNer: flat };
    const { results } = drain(model.infer({ texts: [text], schema, threshold }));
    return Object.values(results[0]!.entities!)
      .flat()
      .toSorted((a, b) => a.start - b.start || a.end - b.end);
  };

  it.each(recorded[kind].map((answer, at) => [at, answer] as const))(
    'finds what the Python package finds, with its scores (%i)',
    (_, { text, labels, flat, threshold, hits }) => {
      const { toUtf16 } = new CodePoints(text);
      const expected = hits.map(({ start, end, label, text: part, score }) => {
        const place = { start: toUtf16(start), end: toUtf16(end) };
        return { ...place, label, text: part, confidence: expect.closeTo(score, 4) };
      });
      const inOrder = expected.toSorted((a, b) => a.start - b.start || a.end - b.end);
      expect(found(text, queriesOf(labels), flat, threshold)).toEqual(inOrder);
    },
  );

  const LABELS = ['person', 'city'].map((name) => ({ name }));
  const infer = (text: string, entities: readonly EntityQuery[] = LABELS, threshold: number | null = null) =>
    drain(model.infer({ texts: [text], schema: { entities }, threshold }));

  it('reads a long text in windows, so that no word is left out', () => {
    const text = `😀 ${'Ada met Bob in Rome. '.repeat(40)}`;
    const { results, inputTokens } = infer(text, LABELS, 0.1);
    const hits = Object.values(results[0]!.entities!).flat();
    expect(results[0]!.truncated).toBe(false);
    for (const { start, end, text: part } of hits) expect(part).toBe(text.slice(start, end));
    expect(Math.max(...hits.map(({ end }) => end))).toBeGreaterThan(text.length - 30);
    expect(inputTokens[0]).toBeGreaterThan(240);
    const places = hits.toSorted((a, b) => a.start - b.start);
    places.slice(1).forEach(({ start }, before) => expect(start).toBeGreaterThanOrEqual(places[before]!.end));
  });

  it('says that it did not read a long word to its end', () => {
    expect(infer(`Ada ${'x'.repeat(20_000)} Bob`).results[0]!.truncated).toBe(true);
  });

  it('finds nothing in texts without words, and without labels', () => {
    expect(infer('').results).toEqual([{ entities: { person: [], city: [] }, truncated: false }]);
    expect(infer('Ada', []).results).toEqual([{ entities: {}, truncated: false }]);
    expect(infer('\ud800 Ada').results[0]!.truncated).toBe(false);
  });

  it('keeps a hit that reaches the threshold of its own label, whatever that of the call', () => {
    const none = infer('Ada met Bob in Rome.', LABELS, 1).results[0]!.entities!;
    expect(none).toEqual({ person: [], city: [] });
    const [person, city] = LABELS as [EntityQuery, EntityQuery];
    const some = infer('Ada met Bob in Rome.', [person, { ...city, threshold: 0 }, city], 1).results[0]!.entities!;
    expect([some['person'], some['city']!.length > 0]).toEqual([[], true]);
  });

  (wasm ? it : it.skip)('gives the same numbers as in WebAssembly', async () => {
    const graph = openGliner(join(folder, 'models', 'ada--gliner'));
    const text = 'Ada met Bob in Rome.';
    const words = [...wordsOf(text)].map(({ start, end }) => {
      return { start, end, ids: graph.tokens(text.slice(start, end)) };
    });
    const feeds = feedsOf(promptOf(LABELS, graph), words, graph);
    const open = await wasm!;
    const { data, dims } = open((await filesOf(kind))['model.onnx']!, ['logits']).run(feeds)['logits']!;
    const native = graph.run(feeds);
    expect(dims).toEqual(native.dims);
    expect([...data]).toEqual([...native.data].map((value) => expect.closeTo(value, 4)));
  });

  it('is evaluated on rows with entities, and refuses rows with classes', () => {
    const text = 'Ada met Bob in Rome.';
    const gold = [
      { start: 0, end: 3, label: 'person' },
      { start: 15, end: 19, label: 'city' },
    ];
    const { figures, predictions } = model.evaluate([{ text, entities: gold }, { text: 'x' }]);
    // The labels of the rows, sorted.
    const hits = found(text, LABELS.toReversed());
    expect(predictions).toEqual([
      {
        text,
        entities: hits.map(({ start, end, label }) => ({ start, end, label })),
        entityConfidences: hits.map(({ confidence }) => confidence),
      },
      { text: 'x' },
    ]);
    expect(figures.perLabel).toMatchObject({ person: { support: 1 }, city: { support: 1 } });
    expect(() => model.evaluate([{ text, labels: ['a'] }])).toThrow(UnsupportedHeadError);
    const schema = { relations: [{ name: 'a' }] };
    expect(() => drain(model.infer({ texts: [text], schema, threshold: null }))).toThrow(UnsupportedHeadError);
  });

  it('refuses labels that leave no room for a text', () => {
    const many = Array.from({ length: 40 }, (_, at) => ({ name: `label ${at}` }));
    expect(() => infer('Ada', many)).toThrow(RefusedSchemaError);
    const long = [{ name: 'city', description: 'x'.repeat(10_001) }];
    expect(() => infer('Ada', long)).toThrow('at most 10000 characters ("city" has 10001)');
  });

  describe('in a folder', () => {
    let copy: string;
    beforeEach(async () => {
      copy = await mkdtemp(join(folder, 'copy-'));
      await cp(join(folder, 'models', 'ada--gliner'), copy, { recursive: true });
    });

    it.each<[string, (path: string) => Promise<void>, RegExp]>([
      ['without its graph', (path) => rm(join(path, 'model.onnx')), /^model\.onnx cannot be read \(ENOENT\)/],
      [
        'with a changed graph',
        (path) => writeFile(join(path, 'model.onnx'), 'x'),
        /^model\.onnx differs from the imported one: import/,
      ],
      ['with a changed tokenizer', (path) => writeFile(join(path, 'tokenizer.json'), '{}'), /^tokenizer\.json differs/],
      [
        'without a configuration',
        (path) => rm(join(path, 'gliner_config.json')),
        /^gliner_config\.json cannot be read/,
      ],
      ['without a manifest', (path) => rm(join(path, 'manifest.json')), /^manifest\.json is missing or damaged/],
    ])('%s is refused', async (_, spoil, message) => {
      await spoil(copy);
      expect(() => engine.load(copy, null)).toThrow(ArtifactError);
      expect(() => engine.load(copy, null)).toThrow(message);
    });
  });
});

/** Imports the files of a model with others instead, and loads it. */
async function loaded(kind: Kind, others: Readonly<Record<string, string | Buffer>>): Promise<LoadedModel> {
  const folder = await mkdtemp(join(tmpdir(), 'gliner-'));
  try {
    await writeGliner(join(folder, 'source'), kind, others);
    return engine.load(await importGliner(join(folder, 'source'), 'ada/gliner', join(folder, 'models')), null);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('a GLiNER model', () => {
  it.each<[string, Record<string, string | Buffer>, RegExp]>([
    [
      'whose graph is of another mode',
      { 'gliner_config.json': '{"span_mode": "token_level"}' },
      /^the graph reads .*span_idx/,
    ],
    ['whose graph is damaged', { 'model.onnx': 'no graph' }, /damaged|cannot load the model/],
    ['whose tokenizer lacks the marks', { 'gliner_config.json': '{"ent_token": "<<NO>>"}' }, /has no token <<NO>>$/],
  ])('%s is refused', async (_, others, message) => {
    await expect(loaded('span', others)).rejects.toThrow(ArtifactError);
    await expect(loaded('span', others)).rejects.toThrow(message);
  });

  it('whose graph needs other labels than the tokenizer gives is refused when it runs', async () => {
    const config = JSON.parse(String((await filesOf('token'))['gliner_config.json'])) as object;
    const swapped = { ...config, ent_token: '<<SEP>>', sep_token: '<<ENT>>' };
    const model = await loaded('token', { 'gliner_config.json': JSON.stringify(swapped) });
    const asked = { texts: ['Ada'], schema: { entities: [{ name: 'a' }, { name: 'b' }] }, threshold: null };
    expect(() => drain(model.infer(asked))).toThrow(ArtifactError);
    expect(() => drain(model.infer(asked))).toThrow(
      /^the graph (gives scores of the shape|cannot read \d+ tokens: [^/]+: reshape_helper)/,
    );
  });

  it('whose tokenizer has no token for unknown words is refused when it meets one', async () => {
    const tokenizer = JSON.parse(String((await filesOf('token'))['tokenizer.json'])) as { model: object };
    const changed = { ...tokenizer, model: { ...tokenizer.model, unk_token: '<none>' } };
    const model = await loaded('token', { 'tokenizer.json': JSON.stringify(changed) });
    const asked = { texts: ['Ada 東京'], schema: { entities: [{ name: 'city' }] }, threshold: null };
    expect(() => drain(model.infer(asked))).toThrow(ArtifactError);
    expect(() => drain(model.infer(asked))).toThrow(/no token for unknown parts/);
  });

  it('whose tokenizer leaves nothing of some signs places hits as if these were not there', async () => {
    const model = await loaded('token', {});
    const hitsIn = (text: string) =>
      Object.values(
        drain(model.infer({ texts: [text], schema: { entities: [{ name: 'city' }] }, threshold: 0.1 })).results[0]!
          .entities!,
      ).flat();
    const plain = hitsIn('x ❤ Ada met Bob in Rome.');
    expect(plain.length).toBeGreaterThan(0);
    expect(hitsIn('x \u200d❤\ufe0f Ada met Bob in Rome.').map(({ confidence }) => confidence)).toEqual(
      plain.map(({ confidence }) => confidence),
    );
    const at = (hits: readonly { end: number }[]) => hits.at(-1)!.end;
    expect(at(hitsIn('x \u200d❤\ufe0f Ada met Bob in Rome.'))).toBe(at(plain) + 2);
  });

  it('is not trained, and takes no adapter', async () => {
    expect(() => engine.load('/models/x', '/adapters/x')).toThrow(ArtifactError);
    await expect(engine.train(undefined as never, () => undefined, undefined as never)).rejects.toThrow(
      /not trained here/,
    );
  });
});
