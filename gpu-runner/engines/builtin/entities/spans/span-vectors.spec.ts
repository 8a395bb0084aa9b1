import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainBaseTagger } from '#tools/base-model/base-training.js';
import { readAdapterArtifact, writeArtifact } from '../../artifact/index.js';
import { ArtifactError, type Example, type TrainingType } from '../../../engine.js';
import { buildGazetteer } from '../../features/gazetteer.js';
import type { HeadState, Tensor } from '../../head.js';
import { groupEncoder } from '../../text-encoder.fixture.js';
import { trainSettings } from '../../train-settings.fixture.js';
import { loadBaseTagger, loadEntityHead } from '../index.js';
import { entityTrainer } from '../training/trainer.fixture.js';

const animals = 'otter heron lynx mole stork viper gecko quail seal ibex bison newt crane shrew'.split(' ');
const tools = 'hammer chisel rasp file drill wrench jig clamp plane spade lathe awl vice saw'.split(' ');
const encoder = groupEncoder([animals, tools]);

/**
 * A code is that of an animal or of a tool: only the meaning of the word before it tells which, and each row has another word. Tags are
 * scored by what their own tokens mean, so that they find the codes and guess their labels.
 */
function rowsWith(from: number, to: number): Example[] {
  const rowOf = (word: string, label: string): Example => {
    const text = `ask the ${word} zork today`;
    const start = text.indexOf('zork');
    return { text, entities: [{ start, end: start + 4, label }] };
  };
  return Array.from({ length: to - from }, (_, k) => [
    rowOf(animals[from + k]!, 'fauna'),
    rowOf(tools[from + k]!, 'gear'),
  ]).flat();
}
const seen = rowsWith(0, 12);
const unseen = rowsWith(12, 14);

const base = loadBaseTagger(
  trainBaseTagger([], { gazetteer: buildGazetteer([]), types: ['city'], seed: 1, minimumCount: 1 }),
);

const settings = trainSettings({ epochs: 12, batchSize: 2 });
const rates = { full: 5e-5, lora: 2e-4 };

function newTrainer(trainingType: TrainingType, train = seen, startFrom: HeadState | null = null) {
  const learningRate = rates[trainingType];
  const input = { settings: { ...settings, trainingType, learningRate }, train, validation: train, startFrom };
  return entityTrainer({ ...input, log: () => undefined }, base, undefined, encoder);
}

function trained(trainer: ReturnType<typeof newTrainer>, from = 0, to = settings.epochs * trainer.stepsPerEpoch) {
  for (let step = from; step < to; step++) trainer.step();
  return trainer;
}

const hitsOf = (state: HeadState, rows = unseen) => {
  const head = loadEntityHead(state, base, encoder);
  return rows.map(({ text }) => head.tag(text, head.tagger.decisionPoint).hits);
};
const labelsOf = (state: HeadState, rows = unseen) => hitsOf(state, rows).map((hits) => hits.map(({ label }) => label));
const rightLabels = unseen.map(({ entities = [] }) => entities.map(({ label }) => label));

const bytesOf = ({ config, tensors }: HeadState): string =>
  JSON.stringify([config, Object.entries(tensors).map(([name, { data }]) => [name, [...(data as Float32Array)]])]);

/** As written before spans had weights. */
const older = ({ config: { spans: _, ...config }, tensors }: HeadState): HeadState => ({
  config,
  tensors: Object.fromEntries(Object.entries(tensors).filter(([name]) => !name.startsWith('spans.'))),
});

const types = ['full', 'lora'] as const;
const whole = { full: trained(newTrainer('full')).exportModel(), lora: trained(newTrainer('lora')).exportModel() };

describe.each(types)('weights of spans after %s training', (type) => {
  it('tell labels that tags cannot tell', () => {
    expect(labelsOf(whole[type])).toEqual(rightLabels);
    expect(labelsOf(older(whole[type]))).not.toEqual(rightLabels);
  });

  it('are the same again, also after a training that was interrupted', () => {
    const first = newTrainer(type);
    const steps = 5 * first.stepsPerEpoch + 1;
    trained(first, 0, steps);
    const second = newTrainer(type);
    second.restoreState(first.saveState());
    expect(bytesOf(trained(second, steps).exportModel())).toBe(bytesOf(whole[type]));
    expect(bytesOf(trained(newTrainer(type)).exportModel())).toBe(bytesOf(whole[type]));
  });

  it('stay when the model is trained further, also under further labels', () => {
    const text = 'meet me in Oslo today';
    const rows = [...seen, { text, entities: [{ start: 11, end: 15, label: 'place' }] }];
    const state = trained(newTrainer(type, rows, whole[type])).exportModel();
    expect(state.config['labels']).toEqual(['fauna', 'gear', 'place']);
    expect(labelsOf(state)).toEqual(rightLabels);
    expect(labelsOf(state, [{ text }])).toEqual([['place']]);
  });
});

describe('a file with weights of spans', () => {
  it('answers as before it was written', () => {
    const directory = mkdtempSync(join(tmpdir(), 'spans-'));
    const reference = { id: 'tiny', sha256: 'ab'.repeat(32) };
    const training = { trainingType: 'full', loraR: 4, loraAlpha: 8, seed: 7 } as const;
    try {
      writeArtifact(directory, { kind: 'adapter', base: reference, training, heads: { entities: whole.full } });
      const { entities } = readAdapterArtifact(directory, reference).heads;
      expect(entities!.config['spans']).toBeDefined();
      expect(hitsOf(entities!)).toEqual(hitsOf(whole.full));
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  const cut = ({ data }: Tensor, count: number): Tensor => ({ shape: [data.length - count], data: data.slice(count) });
  const withTensor = (name: string, count: number): HeadState => {
    const { config, tensors } = whole.full;
    return { config, tensors: { ...tensors, [name]: cut(tensors[name]!, count) } };
  };
  const withConfig = (spans: HeadState['config']): HeadState => ({
    ...whole.full,
    config: { ...whole.full.config, spans },
  });
  it.each<[string, HeadState]>([
    ['labels', withTensor('spans.bias', 1)],
    ['vectors', withTensor('spans.vectors.weights', encoder.wordDimensions)],
    ['slope', withConfig({ vectors: {} })],
    ['parts', withConfig({ slope: 1 })],
    ['form', withConfig({ slope: 1, vectors: { factors: true } })],
  ])('is refused if their %s do not fit', (_, state) => {
    expect(() => loadEntityHead(state, base, encoder)).toThrow(ArtifactError);
    expect(() => newTrainer('full', seen, state)).toThrow(ArtifactError);
  });

  it('from before there were any is served and trained further without', () => {
    const before = older(whole.full);
    expect(hitsOf(before).flat()).toHaveLength(unseen.length);
    expect(newTrainer('full', seen, before).exportModel().config['spans']).toBeUndefined();
  });
});
