import { ArtifactError, type Example, type TrainingType } from '../../engine.js';
import { drain } from '../../steps.js';
import { buildGazetteer } from '../features/gazetteer.js';
import { loadBaseTagger } from '../entities/index.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import { groupEncoder } from '../text-encoder.fixture.js';
import { trainSettings } from '../train-settings.fixture.js';
import { trainBaseTagger } from '#tools/base-model/base-training.js';
import { createRelationTrainer, loadRelationHead } from './index.js';
import { readPairVector } from './pair-vectors.js';
import type { PlacedMention } from './pairs.js';

const hiring = [
  'hired',
  'employs',
  'recruits',
  'appointed',
  'engages',
  'enlisted',
  'contracts',
  'retains',
  'signs',
  'pays',
];
const meeting = ['met', 'greets', 'visited', 'phones', 'thanks', 'mentions', 'saw', 'passes', 'praised', 'quotes'];
const encoder = wide(groupEncoder([hiring, meeting]));
const firms = ['Acme', 'Hooli', 'Initech'];
const people = ['Ann', 'Bob', 'Cy', 'Dot'];

/** Each number sixteen times: real encoders spread what a word means over many numbers. */
function wide(narrow: TextEncoder): TextEncoder {
  return {
    ...narrow,
    wordDimensions: 16 * narrow.wordDimensions,
    words: (tokens) => Float32Array.from([...narrow.words(tokens)].flatMap((value) => Array<number>(16).fill(value))),
  };
}

/** Some verbs mean that a firm employs a person: only the meaning of an unseen verb tells whether it does. */
function rowsWith(from: number, to: number): Example[] {
  const row = (firm: string, verb: string, person: string, isEmployer: boolean): Example => {
    const text = `${firm} ${verb} ${person} today`;
    const head = { start: 0, end: firm.length };
    const start = firm.length + verb.length + 2;
    const tail = { start, end: start + person.length };
    const entities = [
      { ...head, label: 'firm' },
      { ...tail, label: 'person' },
    ];
    return { text, entities, relations: isEmployer ? [{ name: 'employs', head, tail }] : [] };
  };
  return Array.from({ length: to - from }, (_, k) => from + k).flatMap((k) =>
    firms.flatMap((firm, f) => [
      row(firm, hiring[k]!, people[(k + f) % 4]!, true),
      row(firm, meeting[k]!, people[(k + f + 1) % 4]!, false),
    ]),
  );
}
const seen = rowsWith(0, 8);
const unseen = rowsWith(8, 10);

const base = loadBaseTagger(
  trainBaseTagger([], { gazetteer: buildGazetteer([]), types: ['city'], seed: 1, minimumCount: 1 }),
);
const rates = { full: 5e-5, lora: 2e-4 };

function newTrainer(trainingType: TrainingType, given: TextEncoder | null = encoder, startFrom?: HeadState) {
  const settings = trainSettings({ epochs: 20, trainingType, learningRate: rates[trainingType] });
  const input = { settings, train: seen, validation: seen, startFrom: startFrom ?? null, log: () => undefined };
  return drain(createRelationTrainer(input, base, () => [], given));
}

function trained(trainer: ReturnType<typeof newTrainer>, from = 0, to = 20 * trainer.stepsPerEpoch) {
  for (let step = from; step < to; step++) trainer.step();
  return trainer;
}

const bytesOf = ({ config, tensors }: HeadState): string =>
  JSON.stringify([config, Object.entries(tensors).map(([name, { data }]) => [name, [...data].map(String)])]);

/** Rows in which the head finds the relations that they have. */
function rightOf(state: HeadState, rows: readonly Example[], given: TextEncoder | null = encoder): number {
  const head = loadRelationHead(state, base, given);
  return rows.filter(
    ({ text, relations = [] }) => drain(head.find(text, head.decisionPoint)).relations.length === relations.length,
  ).length;
}

const types = ['full', 'lora'] as const;
const whole = { full: trained(newTrainer('full')).exportModel(), lora: trained(newTrainer('lora')).exportModel() };

describe.each(types)('%s training of relations on word vectors', (type) => {
  it('recognizes a relation by what an unseen word between means', () => {
    expect(rightOf(whole[type], unseen)).toBe(unseen.length);
    const blind = trained(newTrainer(type, null)).exportModel();
    const found = rightOf(blind, unseen, null);
    expect(found).toBeLessThan(unseen.length);
    // A head without vectors, as those of earlier releases, does not read them.
    expect(rightOf(blind, unseen)).toBe(found);
  });

  it('gives the same file for the same seed, also after it was stopped and resumed', () => {
    const half = 10 * newTrainer(type).stepsPerEpoch;
    const resumed = newTrainer(type);
    resumed.restoreState(trained(newTrainer(type), 0, half).saveState());
    expect(bytesOf(trained(resumed, half).exportModel())).toBe(bytesOf(whole[type]));
  });

  it('goes on from the weights of an earlier job', () => {
    expect(rightOf(newTrainer(type, encoder, whole[type]).exportModel(), unseen)).toBe(unseen.length);
    expect(rightOf(trained(newTrainer(type, encoder, whole[type])).exportModel(), unseen)).toBe(unseen.length);
  });

  it('goes on from a job that learned without vectors', () => {
    const blind = trained(newTrainer(type, null)).exportModel();
    expect(rightOf(trained(newTrainer(type, encoder, blind)).exportModel(), seen)).toBe(seen.length);
  });

  it('stores a byte for each number and relation, and is refused with another encoder', () => {
    const { shape, data } = whole[type].tensors['pairs.vector_weight']!;
    expect([shape, data.byteLength]).toEqual([[1, 4 * encoder.wordDimensions], 4 * encoder.wordDimensions]);
    expect(() => loadRelationHead(whole[type], base, groupEncoder([hiring]))).toThrow(ArtifactError);
  });
});

describe('the vector of a pair', () => {
  // Token i has the vector [i + 1] in stored steps of 1/32.
  const vectors = Int8Array.from({ length: 40 }, (_, token) => token + 1);
  const mention = (index: number, first: number, end: number): PlacedMention => ({
    mention: { start: first, end, type: 't' },
    index,
    first,
    end,
  });
  const read = (head: PlacedMention, tail: PlacedMention) => {
    const vector = new Float32Array(4);
    readPairVector(vectors, head, tail, vector);
    return [...vector].map((value) => 32 * value);
  };

  it('has the means of head, tail and the words between, with a place for each direction', () => {
    expect(read(mention(0, 0, 2), mention(1, 4, 5))).toEqual([1.5, 5, 3.5, 0]);
    expect(read(mention(1, 4, 5), mention(0, 0, 2))).toEqual([5, 1.5, 0, 3.5]);
  });

  it('has zeros where there is no word between', () => {
    expect(read(mention(0, 0, 2), mention(1, 2, 3))).toEqual([1.5, 3, 0, 0]);
    expect(read(mention(0, 0, 3), mention(1, 1, 2))).toEqual([2, 2, 0, 0]);
  });

  it('has the first and last words of many', () => {
    expect(read(mention(0, 0, 1), mention(1, 31, 32))[2]).toBeCloseTo((2 + 3 + 4 + 5 + 28 + 29 + 30 + 31) / 8);
  });
});
