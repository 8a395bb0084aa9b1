import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ArtifactError,
  TrainingError,
  type Example,
  type TrainReport,
  type TrainRequest,
  type TrainResult,
  type TrainSettings,
} from '../../engine.js';
import { drain } from '../../steps.js';
import { readAdapterArtifact } from '../artifact/index.js';
import { engine } from '../index.js';
import { builtin } from '../registration.js';
import { resolveSettings } from '../settings.js';
import { writeTinyBase } from '../inference/tiny-base.fixture.js';
import { tripRows } from '../structures/trips.fixture.js';
import { interleave } from './heads.js';

const fruits = ['apple', 'plum', 'pear', 'fig', 'melon', 'cherry', 'grape', 'lime'];
const rows: Example[] = fruits.flatMap((fruit): Example[] => [
  {
    text: `order one ${fruit} today`,
    entities: [{ start: 10, end: 10 + fruit.length, label: 'fruit' }],
    labels: ['buy'],
  },
  {
    text: `the ${fruit} was rotten`,
    entities: [{ start: 4, end: 4 + fruit.length, label: 'fruit' }],
    labels: ['moan'],
  },
  { text: `hello number ${fruit.length}`, entities: [], labels: ['greet'] },
]);
const validation: Example[] = [
  { text: 'order one kiwi today', entities: [{ start: 10, end: 14, label: 'fruit' }], labels: ['buy'] },
  { text: 'the kiwi was rotten', entities: [{ start: 4, end: 8, label: 'fruit' }], labels: ['moan'] },
  { text: 'hello number 9', entities: [], labels: ['greet'] },
];
const onlyClasses = (examples: readonly Example[]) => examples.map(({ text, labels }) => ({ text, labels: labels! }));
const onlyEntities = (examples: readonly Example[]) =>
  examples.map(({ text, entities }) => ({ text, entities: entities! }));

const people = ['Ann', 'Bob', 'Clara', 'David', 'Elena', 'Frank', 'Gina', 'Hugo'];
/** Rows with a directed relation between people, and without. */
const relationRows: Example[] = people.flatMap((head, index): Example[] => {
  const tail = people[(index + 3) % people.length]!;
  const place = (text: string, name: string) => ({ start: text.indexOf(name), end: text.indexOf(name) + name.length });
  const row = (text: string, relations: readonly string[]): Example => ({
    text,
    relations: relations.map((name) => ({ name, head: place(text, head), tail: place(text, tail) })),
  });
  return [
    row(`surely ${head} teaches ${tail} today`, ['teaches']),
    row(`surely ${tail} learns from ${head} today`, ['teaches']),
    row(`then ${head} and ${tail} marry`, ['married', 'likes']),
    row(`nobody came to lesson ${index}`, []),
  ];
});

/** Rows of every head; each row says something of some. */
const allHeads: Example[] = [...rows, ...tripRows, ...relationRows];

const settings = (given: Partial<TrainSettings> = {}): TrainSettings => ({
  ...resolveSettings(
    { trainingType: 'lora', rows: rows.length, entityRows: rows.length, classSizes: [8, 8, 8], multiLabel: false },
    { epochs: 4, seed: 5, earlyStoppingPatience: 0 },
  ),
  ...given,
});

type CheckpointReport = Extract<TrainReport, { kind: 'checkpoint' }>;
type EpochReport = Extract<TrainReport, { kind: 'epoch' }>;

describe('training', () => {
  const baseRoot = mkdtempSync(join(tmpdir(), 'train-base-'));
  let directory: string;
  let reports: TrainReport[];
  beforeAll(() => writeTinyBase(baseRoot));
  afterAll(() => rmSync(baseRoot, { recursive: true, force: true }));
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'train-'));
    reports = [];
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const request = (changes: Partial<TrainRequest> = {}): TrainRequest => ({
    settings: settings(),
    train: rows,
    validation,
    baseDirectory: baseRoot,
    startFrom: null,
    resumeFrom: null,
    outputDirectory: join(directory, 'out'),
    ...changes,
  });
  const train = (changes: Partial<TrainRequest> = {}): Promise<TrainResult> =>
    engine.train(request(changes), (report) => reports.push(report), new AbortController().signal);
  const checkpoints = () => reports.filter((report): report is CheckpointReport => report.kind === 'checkpoint');
  const epochs = () => reports.filter((report): report is EpochReport => report.kind === 'epoch');
  const logs = () => reports.flatMap((report) => (report.kind === 'log' ? [report.message] : [])).join('\n');
  const bytesOf = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString('base64')]));

  it('learns entities and classes in one job, and serves both', async () => {
    const { artifactDirectory, metrics } = await train({ settings: settings({ epochs: 12 }) });
    expect(metrics.heads.classification?.f1).toBe(1);
    expect(metrics.heads.entities?.f1).toBe(1);
    const model = engine.load(baseRoot, artifactDirectory);
    expect(model.abilities).toEqual({
      entityLabels: ['fruit'],
      classLabels: ['buy', 'greet', 'moan'],
      multiLabel: false,
    });
    expect(model.evaluate(validation).figures.accuracy).toBe(1);
    expect(model.byteSize).toBeGreaterThan(0);
    expect(readdirSync(artifactDirectory).sort()).toEqual([
      'README.md',
      'adapter_config.json',
      'adapter_model.safetensors',
      'learned_texts.safetensors',
      'metrics.json',
    ]);
  });

  it.each(['lora', 'full'] as const)(
    '%s: learns structures, and keeps them beside other heads',
    async (trainingType) => {
      const held = tripRows.slice(-4);
      const { artifactDirectory, metrics } = await train({
        settings: settings({ epochs: 12, trainingType }),
        train: tripRows,
        validation: held,
      });
      expect(metrics.heads).toEqual({ structures: expect.objectContaining({ f1: 1 }) });
      const model = engine.load(baseRoot, artifactDirectory);
      expect(model.abilities).toEqual({
        entityLabels: null,
        classLabels: null,
        multiLabel: false,
        structures: [
          {
            name: 'trip',
            fields: [
              { name: 'from', dtype: 'str' },
              { name: 'to', dtype: 'str' },
              { name: 'with', dtype: 'list' },
            ],
          },
        ],
      });
      expect(model.evaluate(held).predictions).toEqual(held);
      const next = await train({ startFrom: artifactDirectory, outputDirectory: join(directory, 'next') });
      const both = engine.load(baseRoot, next.artifactDirectory);
      expect(both.abilities).toMatchObject({
        ...model.abilities,
        entityLabels: ['fruit'],
        classLabels: expect.any(Array),
      });
      expect(both.evaluate(held).figures.f1).toBe(1);
    },
  );

  it.each(['lora', 'full'] as const)('%s: learns relations, each with its direction', async (trainingType) => {
    const held = relationRows.slice(-8);
    const { artifactDirectory, metrics } = await train({
      settings: settings({ epochs: 16, trainingType }),
      train: relationRows,
      validation: held,
    });
    expect(metrics.heads).toEqual({ relations: expect.objectContaining({ f1: expect.any(Number) }) });
    expect(metrics.f1).toBeGreaterThan(0.9);
    const model = engine.load(baseRoot, artifactDirectory);
    expect(model.abilities).toMatchObject({ entityLabels: null, relations: ['likes', 'married', 'teaches'] });
    const next = await train({
      startFrom: artifactDirectory,
      outputDirectory: join(directory, 'next'),
      train: [...relationRows, ...tripRows],
      validation: held,
    });
    const both = engine.load(baseRoot, next.artifactDirectory);
    expect(both.abilities).toMatchObject({
      relations: ['likes', 'married', 'teaches'],
      structures: [{ name: 'trip' }],
    });
    expect(both.evaluate(held).figures.f1).toBeGreaterThan(0.9);
  });

  describe('on rows with the entities that their relations join', () => {
    const marked = relationRows.map((row): Example => {
      const ends = row.relations!.flatMap(({ head, tail }) => [head, tail]);
      const places = new Map(ends.map(({ start, end }) => [start, { start, end, label: 'person' }]));
      return { ...row, entities: [...places.values()] };
    });

    it('trains one tagger for both heads', async () => {
      const { artifactDirectory } = await train({ train: marked, validation: marked.slice(-8) });
      const { entities, relations } = readAdapterArtifact(artifactDirectory, null).heads;
      const own = Object.fromEntries(
        Object.entries(relations!.tensors).filter(([name]) => name.startsWith('mentions.')),
      );
      const expected = Object.entries(entities!.tensors).map(([name, tensor]) => [`mentions.${name}`, tensor]);
      expect(own).toEqual(Object.fromEntries(expected));
      expect(relations!.config['mentions']).toEqual({ ...entities!.config, labels: ['{"entity":"person"}'] });
    });

    it('trains two if a relation joins something that is not an entity', async () => {
      const [first, ...others] = marked;
      const { artifactDirectory } = await train({ train: [{ ...first!, entities: [] }, ...others], validation: [] });
      const { entities, relations } = readAdapterArtifact(artifactDirectory, null).heads;
      expect(relations!.tensors['mentions.transitions']).not.toEqual(entities!.tensors['transitions']);
    });

    it('resumes from any checkpoint to the same bytes', async () => {
      const chosen = { settings: settings({ saveSteps: 7, epochs: 2 }), train: marked, validation: marked.slice(-8) };
      const whole = await train(chosen);
      const all = checkpoints();
      expect(all.length).toBeGreaterThan(2);
      for (const [index, { directory: resumeFrom }] of all.entries()) {
        reports = [];
        const resumed = await train({ ...chosen, resumeFrom, outputDirectory: join(directory, `resumed-${index}`) });
        expect(bytesOf(resumed.artifactDirectory)).toEqual(bytesOf(whole.artifactDirectory));
        for (const [k, later] of checkpoints().entries())
          expect(bytesOf(later.directory)).toEqual(bytesOf(all[index + 1 + k]!.directory));
      }
    });
  });

  it('refuses a relation head that reads pairs in another way', async () => {
    const { artifactDirectory } = await train({
      train: relationRows,
      settings: settings({ epochs: 1 }),
      validation: [],
    });
    const path = join(artifactDirectory, 'adapter_config.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/("pairs_version": )1/, '$12'));
    expect(() => engine.load(baseRoot, artifactDirectory)).toThrow(/pairs of version 2/);
  });

  it.each(['lora', 'full'] as const)('%s: gives the same bytes for the same request', async (trainingType) => {
    const chosen = { settings: settings({ trainingType }), train: allHeads };
    const first = await train({ ...chosen, outputDirectory: join(directory, 'a') });
    const second = await train({ ...chosen, outputDirectory: join(directory, 'b') });
    expect(bytesOf(second.artifactDirectory)).toEqual(bytesOf(first.artifactDirectory));
    expect(second.metrics).toEqual(first.metrics);
  });

  it.each(['lora', 'full'] as const)(
    '%s: resumed from any checkpoint, gives the same bytes as without a break',
    async (trainingType) => {
      const chosen = { settings: settings({ trainingType, saveSteps: 13, epochs: 2 }), train: allHeads };
      const whole = await train(chosen);
      const all = checkpoints();
      expect(all.length).toBeGreaterThan(2);
      for (const [index, checkpoint] of all.entries()) {
        reports = [];
        const outputDirectory = join(directory, `resumed-${index}`);
        const resumed = await train({ ...chosen, resumeFrom: checkpoint.directory, outputDirectory });
        expect(bytesOf(resumed.artifactDirectory)).toEqual(bytesOf(whole.artifactDirectory));
        expect(resumed).toEqual({ ...whole, artifactDirectory: resumed.artifactDirectory });
        expect(checkpoints().map((report) => report.step)).toEqual(all.slice(index + 1).map((report) => report.step));
      }
    },
  );

  it('reports each epoch, then its checkpoint, with falling learning rate and rising step', async () => {
    await train();
    const facts = reports.filter((report) => report.kind === 'epoch' || report.kind === 'checkpoint');
    expect(facts.map((report) => report.kind)).toEqual(Array.from({ length: 4 }, () => ['epoch', 'checkpoint']).flat());
    expect(epochs().map((report) => report.epoch)).toEqual([1, 2, 3, 4]);
    expect(checkpoints().map((report) => report.step)).toEqual(epochs().map((report) => report.step));
    const rates = epochs().map((report) => report.learningRate);
    expect(rates).toEqual([...rates].sort((a, b) => b - a));
    expect(rates[0]).toBeLessThan(settings().learningRate);
    expect(rates.at(-1)).toBe(0);
    expect(checkpoints().map((report) => report.isFinal)).toEqual([false, false, false, true]);
    const fractions = reports.flatMap((report) => (report.kind === 'progress' ? [report.fraction] : []));
    expect(fractions.at(-1)).toBe(1);
  });

  it('says which learning rate was asked for if that was out of bounds', async () => {
    const rates = { learningRate: 0.0016, learningRateAsked: 0.1 };
    await train({ settings: settings({ epochs: 1, ...rates, scheduler: 'constant' }) });
    expect(epochs().map((report) => report.learningRate)).toEqual([0.0016]);
    expect(checkpoints().map((report) => report.learningRate)).toEqual([0.0016]);
    expect(logs()).toMatch(/learning rate 0\.1 is far from the default: 0\.0016 is used/);
  });

  it('serves the best epoch, whose checkpoint has the weights and F1 of the artifact', async () => {
    // With odd rows the epochs differ: some weights get some of the validation rows wrong.
    const odd: Example[] = [
      { text: 'order one rotten fig', entities: [], labels: ['moan'] },
      { text: 'hello was rotten', entities: [{ start: 0, end: 5, label: 'fruit' }], labels: ['greet'] },
    ];
    const { artifactDirectory, metrics } = await train({
      settings: settings({ epochs: 8 }),
      validation: [...validation, ...odd],
    });
    const marked = checkpoints()
      .filter((report) => report.isBest)
      .at(-1)!;
    expect(metrics.f1).toBeGreaterThan(0);
    expect(metrics.f1).toBeLessThan(1);
    expect(marked.f1).toBe(metrics.f1);
    expect(epochs().find(({ epoch }) => epoch === marked.epoch)!.f1).toBe(metrics.f1);
    expect(readAdapterArtifact(artifactDirectory, null).sha256).toBe(
      readAdapterArtifact(marked.directory, null).sha256,
    );
  });

  it('saves servable checkpoints between epochs', async () => {
    await train({ settings: settings({ epochs: 1, saveSteps: 4 }) });
    const [first] = checkpoints();
    expect(first).toMatchObject({ step: 4, epoch: 1, isFinal: false, isBest: false });
    expect(engine.load(baseRoot, first!.directory).abilities.classLabels).toHaveLength(3);
    expect(readdirSync(join(directory, 'out')).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('stops when epochs no longer improve, and says so', async () => {
    const { epochsRun } = await train({
      settings: settings({ epochs: 40, earlyStoppingPatience: 2, scheduler: 'constant' }),
    });
    expect(epochsRun).toBeLessThan(40);
    expect(epochs()).toHaveLength(epochsRun);
    const lastBest = checkpoints()
      .filter((report) => report.isBest)
      .at(-1)!.epoch;
    expect(epochsRun - lastBest).toBe(2);
    expect(checkpoints().at(-1)!.isFinal).toBe(true);
    expect(logs()).toMatch(/Stopping early/);
  });

  it('ends when aborted, with the reason, and its last checkpoint can be resumed', async () => {
    const whole = await train();
    reports = [];
    const controller = new AbortController();
    const outputDirectory = join(directory, 'aborted');
    const aborted = engine.train(
      request({ outputDirectory }),
      (report) => {
        reports.push(report);
        if (report.kind === 'checkpoint' && report.epoch === 2)
          setImmediate(() => controller.abort(new Error('enough')));
      },
      controller.signal,
    );
    await expect(aborted).rejects.toThrow('enough');
    expect(existsSync(join(outputDirectory, 'artifact'))).toBe(false);
    const resumed = await train({
      resumeFrom: checkpoints().at(-1)!.directory,
      outputDirectory: join(directory, 'again'),
    });
    expect(bytesOf(resumed.artifactDirectory)).toEqual(bytesOf(whole.artifactDirectory));
  });

  it('yields to the event loop between steps', async () => {
    let turns = 0;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await train();
    clearImmediate(next);
    expect(turns).toBeGreaterThan(5);
  });

  it('continues an earlier artifact, and keeps heads that it does not train', async () => {
    const first = await train({ settings: settings({ epochs: 12 }), outputDirectory: join(directory, 'first') });
    const farewell = fruits.map((fruit): Example => ({ text: `bye bye ${fruit}`, labels: ['farewell'] }));
    const second = await train({
      settings: settings({ epochs: 6 }),
      startFrom: first.artifactDirectory,
      train: [...farewell, ...onlyClasses(rows)],
      validation: onlyClasses(validation),
    });
    const model = engine.load(baseRoot, second.artifactDirectory);
    expect(model.abilities.classLabels).toEqual(['buy', 'greet', 'moan', 'farewell']);
    expect(model.evaluate(validation).figures.accuracy).toBe(1);
    const before = readAdapterArtifact(first.artifactDirectory, null).heads['entities'];
    expect(readAdapterArtifact(second.artifactDirectory, null).heads['entities']).toEqual(before);
  });

  it('serves and continues an artifact on the base of an earlier release', async () => {
    const first = await train();
    const { base } = readAdapterArtifact(first.artifactDirectory, null);
    const later = join(directory, 'later');
    cpSync(builtin.baseModels[0]!.directory, later, { recursive: true });
    cpSync(baseRoot, join(later, 'earlier', base.sha256), { recursive: true });
    const before = engine.load(baseRoot, first.artifactDirectory).evaluate(validation);
    expect(engine.load(later, first.artifactDirectory).evaluate(validation)).toEqual(before);
    const outputDirectory = join(directory, 'next');
    const next = await train({ baseDirectory: later, startFrom: first.artifactDirectory, outputDirectory });
    expect(readAdapterArtifact(next.artifactDirectory, null).base).toEqual(base);
  });

  it('refuses to continue an artifact of another base', async () => {
    const { artifactDirectory } = await train({ outputDirectory: join(directory, 'first') });
    const path = join(artifactDirectory, 'adapter_config.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/("sha256": ")[0-9a-f]{4}/, '$1ffff'));
    await expect(train({ startFrom: artifactDirectory })).rejects.toThrow(ArtifactError);
  });

  it('starts afresh from a checkpoint of another trainer version, and says so', async () => {
    const whole = await train();
    const resumeFrom = checkpoints()[1]!.directory;
    const path = join(resumeFrom, 'training_state.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/,?\s*"trainersVersion": *\d+/, ''));
    const again = await train({ resumeFrom, outputDirectory: join(directory, 'again') });
    expect(bytesOf(again.artifactDirectory)).toEqual(bytesOf(whole.artifactDirectory));
    expect(logs()).toMatch(/of another version: training starts afresh/);
    expect(logs()).not.toMatch(/Resuming/);
  });

  it('refuses to resume a checkpoint of another job, and a damaged one', async () => {
    await train({ settings: settings({ epochs: 1 }) });
    const [checkpoint] = checkpoints();
    const resume = (changes: Partial<TrainRequest>) =>
      train({ resumeFrom: checkpoint!.directory, outputDirectory: join(directory, 'again'), ...changes });
    await expect(resume({ settings: settings({ epochs: 2 }) })).rejects.toThrow(/other rows or settings/);
    await expect(resume({ settings: settings({ epochs: 1 }), train: rows.slice(1) })).rejects.toThrow(TrainingError);
    const damaged = join(directory, 'damaged');
    cpSync(checkpoint!.directory, damaged, { recursive: true });
    writeFileSync(join(damaged, 'training_state.safetensors'), 'short');
    await expect(resume({ settings: settings({ epochs: 1 }), resumeFrom: damaged })).rejects.toThrow(/not readable/);
  });

  it.each<[string, Partial<TrainRequest>, RegExp]>([
    ['rows without labels', { train: [{ text: 'a' }, { text: 'b' }] }, /No training row is labelled/],
    ['one class only', { train: onlyClasses(rows).filter((row) => row.labels[0] === 'buy') }, /nothing to tell apart/],
    [
      'no entity anywhere',
      { train: onlyEntities(rows).map((row) => ({ ...row, entities: [] })), validation: [] },
      /entit/,
    ],
    [
      'structures without an instance',
      { train: tripRows.map(({ text }) => ({ text, structures: [] })), validation: [] },
      /No training row holds a structure/,
    ],
    [
      'relations without an instance',
      { train: relationRows.map(({ text }) => ({ text, relations: [] })), validation: [] },
      /No training row holds a relation/,
    ],
    ['no epoch', { settings: settings({ epochs: 0 }) }, /1 or more/],
  ])('refuses %s with a message for the user', async (_what, changes, message) => {
    await expect(train(changes)).rejects.toThrow(TrainingError);
    await expect(train(changes)).rejects.toThrow(message);
  });

  it('keeps nothing of its texts for a model that need not tell unlike ones', async () => {
    const { artifactDirectory } = await train({ learnsLikeness: false });
    expect(readdirSync(artifactDirectory)).not.toContain('learned_texts.safetensors');
    const model = engine.load(baseRoot, artifactDirectory);
    const schema = { entities: [{ name: 'fruit' }] };
    const { results } = drain(model.infer({ texts: [rows[0]!.text], schema, threshold: null, likeness: true }));
    expect(results[0]!.likeness).toBeUndefined();
  });

  it('trains only the classifier if no row has an entity', async () => {
    const plain = (examples: readonly Example[]) => examples.map((row) => ({ ...row, entities: [] }));
    const { artifactDirectory } = await train({ train: plain(rows), validation: plain(validation) });
    expect(engine.load(baseRoot, artifactDirectory).abilities.entityLabels).toBeNull();
    expect(logs()).toMatch(/entities are not trained/);
  });

  it('trains the other heads if all lists of structures are empty', async () => {
    const empty = { name: 'order', fields: [{ name: 'items', isList: true, values: [] }] };
    const { artifactDirectory } = await train({ train: rows.map((row) => ({ ...row, structures: [empty] })) });
    expect(engine.load(baseRoot, artifactDirectory).abilities.structures).toBeUndefined();
    expect(logs()).toMatch(/No row holds a structure: structures are not trained/);
  });

  it('gives no figures if no row is held out, and says why', async () => {
    const { metrics, artifactDirectory } = await train({ validation: [] });
    const none = { f1: null, precision: null, recall: null, accuracy: null };
    expect(metrics).toMatchObject({
      ...none,
      macroF1: null,
      perLabel: {},
      heads: { entities: none, classification: none },
    });
    expect(epochs().map(({ f1 }) => f1)).toEqual([null, null, null, null]);
    expect(checkpoints().map(({ f1 }) => f1)).toEqual([null, null, null, null]);
    expect(logs()).toMatch(/No validation row is labelled for entities: it has no figures/);
    expect(readFileSync(join(artifactDirectory, 'README.md'), 'utf8')).toMatch(/## Figures\n\nNone: no row/);
  });

  it('gives a cross-validation loss if no row is held out, and none without cross-validation', async () => {
    await train({ validation: [] });
    for (const { validationLoss } of epochs()) expect(validationLoss).toBeGreaterThan(0);
    reports = [];
    const { metrics } = await train({ train: relationRows, validation: [], outputDirectory: join(directory, 'pairs') });
    expect(epochs().map(({ validationLoss }) => validationLoss)).toEqual([null, null, null, null]);
    expect(metrics).toMatchObject({ finalValidationLoss: null, bestValidationLoss: null });
  });

  it('gives figures for heads that held-out rows are labelled for, and null for others', async () => {
    const { metrics, artifactDirectory } = await train({ validation: onlyClasses(validation) });
    expect(metrics.f1).toBeGreaterThan(0);
    expect(metrics.heads).toEqual({
      classification: expect.objectContaining({ f1: metrics.f1 }),
      entities: {
        ...{ f1: null, precision: null, recall: null, accuracy: null },
        confidence: { rows: 0, threshold: expect.any(Number), answerError: null, candidateError: null, curve: [] },
      },
    });
    const card = readFileSync(join(artifactDirectory, 'README.md'), 'utf8');
    expect(card).toMatch(/\| entities \| not measured \| not measured \| not measured \|/);
  });

  it('says how far confidences can be relied on, by rows held out', async () => {
    const { metrics } = await train({});
    const { confidence, precision, recall } = metrics.heads.entities!;
    const { threshold, curve, answerError, candidateError } = confidence!;
    expect(threshold).toBeLessThanOrEqual(0.5);
    for (const error of [answerError, candidateError]) expect(error).toBeLessThan(0.5);
    const at = curve.findLast((point) => point.threshold <= threshold!)!;
    expect([at.precision, at.recall]).toEqual([precision, recall]);
    expect(curve.at(-1)!.recall).toBeLessThanOrEqual(curve[0]!.recall!);
  });

  it('writes a model card that no label can break', async () => {
    const train2 = onlyClasses(rows).map((row) => ({ ...row, labels: [`<${row.labels[0]!}>|\n#`] }));
    const { artifactDirectory } = await train({
      train: train2,
      validation: train2.slice(0, 6),
      settings: settings({ epochs: 1 }),
    });
    const card = readFileSync(join(artifactDirectory, 'README.md'), 'utf8');
    expect(card).toMatch(/^---\nlibrary_name: anneal\nbase_model: test\/tiny\n/);
    expect(card).toContain('| \\<buy\\>\\| # |');
  });
});

describe('interleaving', () => {
  it('gives every head its steps, evenly spread', () => {
    const order = interleave([2, 6]);
    expect([...order].filter((head) => head === 0)).toHaveLength(2);
    expect([...order].filter((head) => head === 1)).toHaveLength(6);
    for (let step = 1; step <= order.length; step++) {
      const first = order.subarray(0, step).filter((head) => head === 0).length;
      expect(Math.abs(first - step / 4)).toBeLessThanOrEqual(1);
    }
  });
});
