import { ArtifactError, type Example, type TrainingType } from '../../engine.js';
import { buildGazetteer } from '../features/gazetteer.js';
import type { HeadState } from '../head.js';
import { groupEncoder } from '../text-encoder.fixture.js';
import { loadBaseTagger, loadEntityHead } from './index.js';
import { entityTrainer } from './training/trainer.fixture.js';
import { rowsWithVectors } from './word-vectors.js';
import { trainBaseTagger } from '#tools/base-model/base-training.js';
import { trainSettings } from '../train-settings.fixture.js';

const animals = ['otter', 'heron', 'lynx', 'mole', 'stork', 'viper', 'gecko', 'quail', 'seal', 'ibex', 'bison', 'newt'];
const tools = ['hammer', 'chisel', 'rasp', 'file', 'drill', 'wrench', 'jig', 'clamp', 'plane', 'spade', 'lathe', 'awl'];
const encoder = groupEncoder([animals, tools]);

/** Animals and tools in the same sentences: nothing but what a word means tells whether it is labelled. */
function rowsWith(from: number, to: number): Example[] {
  return Array.from({ length: to - from }, (_, k) => from + k).flatMap((k) => {
    const [animal, tool] = [animals[k]!, tools[k]!];
    return [
      { text: `we saw the ${animal} today`, entities: [{ start: 11, end: 11 + animal.length, label: 'animal' }] },
      { text: `we saw the ${tool} today`, entities: [] },
    ];
  });
}
const seen = rowsWith(0, 10);
const unseen = rowsWith(10, 12);

const base = loadBaseTagger(
  trainBaseTagger([], { gazetteer: buildGazetteer([]), types: ['city'], seed: 1, minimumCount: 1 }),
);

const settings = trainSettings({ epochs: 25, batchSize: 2 });
const rates = { full: 5e-5, lora: 2e-4 };

function newTrainer(trainingType: TrainingType, given = encoder as typeof encoder | null, startFrom?: HeadState) {
  return entityTrainer(
    {
      settings: { ...settings, trainingType, learningRate: rates[trainingType] },
      train: seen,
      validation: seen,
      startFrom: startFrom ?? null,
      log: () => undefined,
    },
    base,
    undefined,
    given,
  );
}

function trained(trainer: ReturnType<typeof newTrainer>, from = 0, to = settings.epochs * trainer.stepsPerEpoch) {
  for (let step = from; step < to; step++) trainer.step();
  return trainer;
}

const bytesOf = ({ config, tensors }: HeadState): string =>
  JSON.stringify([
    config,
    Object.entries(tensors).map(([name, { data }]) => [
      name,
      Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
    ]),
  ]);

/** Rows that the head tags as they are labelled. */
const rightOf = (state: HeadState, rows: readonly Example[], given = encoder as typeof encoder | null) => {
  const head = loadEntityHead(state, base, given);
  return rows.filter(({ text, entities = [] }) => {
    const found = head
      .tag(text, head.tagger.decisionPoint)
      .hits.map(({ start, end, label }) => ({ start, end, label }));
    return JSON.stringify(found) === JSON.stringify(entities);
  }).length;
};

const types = ['full', 'lora'] as const;
const whole = { full: trained(newTrainer('full')).exportModel(), lora: trained(newTrainer('lora')).exportModel() };

describe.each(types)('%s training on word vectors', (type) => {
  it('learns from the meaning of words beyond their form', () => {
    expect(rightOf(whole[type], unseen)).toBe(unseen.length);
    const surface = trained(newTrainer(type, null)).exportModel();
    expect(rightOf(surface, unseen, null)).toBeLessThan(unseen.length);
  });

  it('gives the same file again, bit for bit', () => {
    expect(bytesOf(trained(newTrainer(type)).exportModel())).toBe(bytesOf(whole[type]));
  });

  it('resumes from a saved state to the same file', () => {
    const first = newTrainer(type);
    const steps = 5 * first.stepsPerEpoch + 1;
    trained(first, 0, steps);
    const second = newTrainer(type);
    second.restoreState(first.saveState());
    expect(bytesOf(trained(second, steps).exportModel())).toBe(bytesOf(whole[type]));
  });

  it.each(types)('continues from what %s training learned, before its first step', (earlier) => {
    const trainer = newTrainer(type, encoder, whole[earlier]);
    expect(rightOf(trainer.exportModel(), unseen)).toBe(unseen.length);
    trained(trainer);
    expect(rightOf(trainer.exportModel(), unseen)).toBe(unseen.length);
  });

  it('continues from a model that learned without them', () => {
    const surface = trained(newTrainer(type, null)).exportModel();
    expect(rightOf(trained(newTrainer(type, encoder, surface)).exportModel(), unseen)).toBe(unseen.length);
  });
});

describe('a model that reads word vectors', () => {
  it.each([
    ['without an encoder', null, /has none/],
    ['with another encoder', groupEncoder([animals]), /has groups 1/],
  ])('is not loaded or continued %s', (_, other, message) => {
    expect(() => loadEntityHead(whole.lora, base, other)).toThrow(ArtifactError);
    expect(() => loadEntityHead(whole.lora, base, other)).toThrow(message);
    expect(() => newTrainer('lora', other, whole.lora)).toThrow(ArtifactError);
  });

  it('is not loaded if its weights do not match its tags', () => {
    const weights = whole.full.tensors['vectors.weights']!;
    const data = (weights.data as Float32Array).slice(encoder.wordDimensions);
    const tensors = { ...whole.full.tensors, 'vectors.weights': { shape: [data.length], data } };
    expect(() => loadEntityHead({ ...whole.full, tensors }, base, encoder)).toThrow(/do not fit/);
  });

  it('reads the words of an even spread of the rows if those of all do not fit in memory', () => {
    const rows = Array.from({ length: 12 }, (_, at): Example => ({
      text: at % 3 === 0 ? 'a b c d' : 'e',
      entities: [],
    }));
    expect(rowsWithVectors(rows)).toEqual(rows.map(() => true));
    const read = rowsWithVectors(rows, 12);
    const tokens = rows.map(({ text }, at) => (read[at] ? text.split(' ').length : 0));
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    expect(sum(tokens)).toBeLessThanOrEqual(12);
    expect(sum(tokens)).toBeGreaterThan(8);
    for (const half of [tokens.slice(0, 6), tokens.slice(6)]) expect(sum(half)).toBeGreaterThan(0);
  });
});
