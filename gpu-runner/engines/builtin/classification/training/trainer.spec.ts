import { describe, expect, it } from '@jest/globals';
import { ArtifactError, TrainingError, type Example, type TrainSettings } from '../../../engine.js';
import type { HeadState, HeadTrainer } from '../../head.js';
import type { SentenceEncoder } from '../../text-encoder.js';
import { groupEncoder } from '../../text-encoder.fixture.js';
import { effectiveRank } from './trainer.js';
import { createClassificationTrainer, loadClassificationHead } from '../index.js';
import { trainSettings } from '../../train-settings.fixture.js';

const settings = trainSettings({ trainingType: 'lora', epochs: 12, learningRate: 2e-4, warmupRatio: 0.02 });
const full: TrainSettings = { ...settings, trainingType: 'full', learningRate: 5e-5 };

const nouns = ['card', 'account', 'transfer', 'app', 'bill', 'pin', 'order', 'loan'];
const rowsOf = (label: string, frames: readonly string[]): Example[] =>
  frames.flatMap((frame) => nouns.map((noun) => ({ text: frame.replace('*', noun), labels: [label] })));
const complaint = rowsOf('complaint', ['my * is broken again', 'this * does not work', 'the * failed, terrible']);
const thanks = rowsOf('thanks', ['thank you for the *', 'great help with my *', 'I love the new *']);
const question = rowsOf('question', ['how do I get a *?', 'where is my *?', 'can I change the *?']);
const train = [...complaint, ...thanks, ...question];
const validation: Example[] = [
  { text: 'the phone is broken and does not work', labels: ['complaint'] },
  { text: 'thank you so much, great help', labels: ['thanks'] },
  { text: 'where do I find the form?', labels: ['question'] },
];

const create = (changes: Partial<Parameters<typeof createClassificationTrainer>[0]> = {}): HeadTrainer =>
  createClassificationTrainer({ settings, train, validation, startFrom: null, log: () => undefined, ...changes });
const run = (trainer: HeadTrainer, steps: number): HeadTrainer => {
  for (let step = 0; step < steps; step++) trainer.step();
  return trainer;
};
const learn = (changes: Parameters<typeof create>[0] = {}): HeadState => {
  const trainer = create(changes);
  return run(trainer, trainer.stepsPerEpoch * (changes.settings ?? settings).epochs).exportModel();
};
const best = (state: HeadState, text: string): string => {
  const head = loadClassificationHead(state);
  const probabilities = head.probabilities(text);
  return head.labels[probabilities.indexOf(Math.max(...probabilities))]!;
};

describe('classification trainer', () => {
  it.each([
    ['low rank', settings],
    ['full', full],
  ])('%s: learns from examples and generalises to other words', (_kind, chosen) => {
    const state = learn({ settings: chosen });
    for (const { text, labels } of validation) expect(best(state, text)).toBe(labels![0]);
    const probabilities = loadClassificationHead(state).probabilities('where is it?');
    expect(probabilities.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1);
  });

  it('lowers its loss, and judges on validation', () => {
    const trainer = create();
    const first = trainer.validate();
    const losses = Array.from({ length: trainer.stepsPerEpoch * 6 }, () => trainer.step());
    expect(Math.max(...losses.slice(-3))).toBeLessThan(losses[0]! / 2);
    expect(trainer.validate().loss).toBeLessThan(first.loss);
    expect(trainer.validate().f1).toBe(1);
  });

  it('learns rows with several labels, and with none', () => {
    const multi = { ...settings, multiLabel: true };
    const both = train.map((row): Example => ({
      text: `${row.text} urgent now`,
      labels: [...row.labels!, 'urgent'],
    }));
    const neither = nouns.map((noun): Example => ({ text: `the ${noun} is blue`, labels: [] }));
    const state = learn({ settings: multi, train: [...train, ...both, ...neither], validation: [] });
    const head = loadClassificationHead(state);
    const chosen = (text: string) => head.labels.filter((_, index) => head.probabilities(text)[index]! > 0.5);
    expect(chosen('where is my pin? urgent now')).toEqual(['question', 'urgent']);
    expect(chosen('where is my pin?')).toEqual(['question']);
    expect(chosen('the order is blue')).toEqual([]);
  });

  it('chooses among a subset of its labels, which share all the probability', () => {
    const head = loadClassificationHead(learn());
    const all = head.probabilities('where is my card?');
    const [thanksIndex, questionIndex] = [head.labels.indexOf('thanks'), head.labels.indexOf('question')];
    const two = head.probabilities('where is my card?', [thanksIndex, questionIndex]);
    expect(two[0]! + two[1]!).toBeCloseTo(1);
    expect(two[1]! / two[0]!).toBeCloseTo(all[questionIndex]! / all[thanksIndex]!);
  });

  it.each([
    ['low rank', settings],
    ['full', full],
  ])('%s: resumes from a saved state as if it had never stopped', (_kind, chosen) => {
    const whole = run(create({ settings: chosen }), 40);
    const state = run(create({ settings: chosen }), 23).saveState();
    const resumed = create({ settings: chosen });
    resumed.restoreState(structuredClone(state));
    expect(run(resumed, 17).exportModel()).toEqual(whole.exportModel());
    expect(resumed.saveState()).toEqual(whole.saveState());
  });

  it.each<[string, Partial<TrainSettings>]>([
    ['seed', { seed: 8 }],
    ['batchSize', { batchSize: 8 }],
    ['learningRate', { learningRate: 1e-4 }],
    ['scheduler', { scheduler: 'cosine' }],
    ['warmupRatio', { warmupRatio: 0.3 }],
    ['weightDecay', { weightDecay: 0.5 }],
    ['loraDropout', { loraDropout: 0.4 }],
    ['loraAlpha', { loraAlpha: 4 }],
    ['loraR', { loraR: 2, loraAlpha: 4 }],
    ['epochs', { epochs: 3 }],
  ])('%s has an effect', (_name, change) => {
    expect(learn({ settings: { ...settings, ...change } })).not.toEqual(learn());
  });

  it('sends a heartbeat after each epoch of cross-validation', () => {
    let told = 0;
    create({ working: () => (told += 1) });
    expect(told).toBeGreaterThanOrEqual(3 * settings.epochs);
  });

  it('raises the rank for many classes, in proportion to the requested one, and says so', () => {
    expect([effectiveRank(16, 3), effectiveRank(16, 20), effectiveRank(16, 77), effectiveRank(4, 77)]).toEqual([
      16, 20, 48, 12,
    ]);
    const messages: string[] = [];
    const state = learn({
      settings: { ...settings, loraR: 2, loraAlpha: 4 },
      log: (message) => messages.push(message),
    });
    expect(state.config['rank']).toBe(3);
    expect(messages.join()).toMatch(/rank 3 \(lora_r 2, raised/);
  });

  it.each([
    ['LoRA on LoRA', settings, settings],
    ['LoRA of another rank on LoRA', settings, { ...settings, loraR: 6, loraAlpha: 12 }],
    ['LoRA on full', full, settings],
    ['full on LoRA', settings, full],
  ])('%s: continues an earlier head, adding new labels to the old', (_kind, before, after) => {
    const earlier = learn({ settings: before });
    const farewell = rowsOf('farewell', ['goodbye and see you, *', 'bye bye *']);
    const trainer = create({ settings: after, train: [...farewell, ...question], validation: [], startFrom: earlier });
    const untouched = trainer.exportModel();
    expect(untouched.config['labels']).toEqual(['complaint', 'question', 'thanks', 'farewell']);
    expect(best(untouched, 'thank you for the card')).toBe('thanks');
    const continued = run(trainer, trainer.stepsPerEpoch * 4).exportModel();
    expect(best(continued, 'goodbye, see you')).toBe('farewell');
    expect(best(continued, 'thank you for the card')).toBe('thanks');
  });

  it('starts afresh from a head of the other label mode, and says so', () => {
    const messages: string[] = [];
    const multi = { ...settings, multiLabel: true };
    create({ settings: multi, startFrom: learn(), log: (message) => messages.push(message) });
    expect(messages.join()).toMatch(/starting afresh/);
  });

  it.each<[string, Partial<Parameters<typeof create>[0]>, RegExp]>([
    ['no labelled row', { train: [{ text: 'a', entities: [] }] }, /No training row has a class label/],
    ['one class', { train: thanks }, /All 24 training rows have the class "thanks"/],
    [
      'two labels in single mode',
      { train: [...train, { text: 'odd', labels: ['a', 'b'] }] },
      /"odd" has 2 class labels/,
    ],
    ['no label in single mode', { train: [...train, { text: 'odd', labels: [] }] }, /"odd" has 0 class labels/],
    [
      'one label on every row',
      { settings: { ...settings, multiLabel: true }, train: thanks },
      /Every training row has the one class/,
    ],
    [
      'no label at all',
      { settings: { ...settings, multiLabel: true }, train: [{ text: 'a', labels: [] }] },
      /No training row has any class label/,
    ],
  ])('refuses %s, and tells how to fix it', (_what, changes, message) => {
    expect(() => create(changes)).toThrow(TrainingError);
    expect(() => create(changes)).toThrow(message);
  });

  it('learns from the names of labels as examples', () => {
    const rows: Example[] = [
      { text: 'aaa bbb', labels: ['lost_luggage'] },
      { text: 'ccc ddd', labels: ['late_train'] },
    ];
    expect(best(learn({ train: rows, validation: [] }), 'my luggage was lost')).toBe('lost_luggage');
  });
});

describe('classification trainer with an encoder', () => {
  const encoder = groupEncoder([
    ['refund', 'money', 'repay', 'reimburse'],
    ['parcel', 'delivery', 'package', 'shipment'],
  ]);
  const said = {
    refund: ['repay me at once', 'the money please', 'I want my money', 'repay what I gave', 'money now', 'my money'],
    delivery: [
      'the parcel is late',
      'no package came',
      'a package was lost',
      'which parcel',
      'parcel here',
      'my parcel',
    ],
  };
  const seen = Object.entries(said).flatMap(([label, texts]) =>
    texts.map((text): Example => ({ text, labels: [label] })),
  );
  const input = { settings, train: seen, validation: seen, startFrom: null, log: () => undefined };
  const createWith = (changes: Partial<Parameters<typeof create>[0]> = {}) =>
    createClassificationTrainer({ ...input, ...changes }, encoder);
  const learnWith = (changes: Parameters<typeof createWith>[0] = {}): HeadState => {
    const trainer = createWith(changes);
    return run(trainer, 40).exportModel();
  };
  const likeliest = (state: HeadState, text: string): string => {
    const head = loadClassificationHead(state, encoder);
    const probabilities = head.probabilities(text);
    return head.labels[probabilities.indexOf(Math.max(...probabilities))]!;
  };

  it.each([
    ['low rank', settings],
    ['full', full],
  ])('%s: classifies words that no row has by their meaning', (_kind, chosen) => {
    const state = learnWith({ settings: chosen });
    expect(loadClassificationHead(state, encoder).readsVectors).toBe(true);
    expect(['reimburse', 'shipment'].map((text) => likeliest(state, text))).toEqual(['refund', 'delivery']);
  });

  it('learns rows with several labels by meaning', () => {
    const both = said.refund.map((text, at): Example => ({
      text: `${text}, ${said.delivery[at]!}`,
      labels: ['refund', 'delivery'],
    }));
    const neither = nouns.map((noun): Example => ({ text: `hello ${noun}`, labels: [] }));
    const state = learnWith({ settings: { ...settings, multiLabel: true }, train: [...seen, ...both, ...neither] });
    const head = loadClassificationHead(state, encoder);
    const chosen = (text: string) => head.labels.filter((_, index) => head.probabilities(text)[index]! > 0.5);
    expect(chosen('reimburse the shipment')).toEqual(['delivery', 'refund']);
    expect(chosen('reimburse')).toEqual(['refund']);
    expect(chosen('hello')).toEqual([]);
  });

  it('learns what classes mean, also one that no row has', () => {
    const labelDescriptions = { refund: 'reimburse', delivery: 'shipment', K7: 'greetings and welcomes' };
    const few = seen.filter((_, row) => row % 6 === 0);
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const state = learnWith({ settings: { ...settings, labelDescriptions }, train: few, validation: few, log });
    expect(state.config['labels']).toEqual(['K7', 'delivery', 'refund']);
    expect(lines).toContain('No row has K7: learned from its description alone.');
    const asked = ['reimburse this', 'which shipment', 'greetings'];
    expect(asked.map((text) => likeliest(state, text))).toEqual(['refund', 'delivery', 'K7']);
  });

  it('learns from descriptions of words that it does not know, from one row a class', () => {
    const blind = {
      ...encoder,
      sentence: (text: string) => encoder.sentence(text).map((value) => (text === 'x' ? 0 : value)),
    };
    const few = seen.filter((_, row) => row % 6 === 0);
    const labelDescriptions = { refund: 'x', delivery: 'shipment' };
    const described = { ...settings, labelDescriptions };
    const trainer = createClassificationTrainer({ ...input, settings: described, train: few, validation: few }, blind);
    const state = run(trainer, 40).exportModel();
    expect(likeliest(state, 'which shipment')).toBe('delivery');
  });

  describe('with an inner layer that alone tells questions from statements', () => {
    const texts = Object.values(said).flat();
    const asked = (text: string): number => (text.endsWith('?') ? 1 : -1);
    const kinds = {
      ...encoder,
      inner: {
        ...{ sentenceVectors: 'kinds', sentenceDimensions: 3, usefulRows: null, inner: null },
        // Far from the origin, as vectors of inner layers are.
        sentence: (text: string) => Float32Array.from([0.99, 0.1, 0.05 * asked(text)]),
      },
    };
    const rows = texts.flatMap((text): Example[] => [
      { text: `${text} ?`, labels: ['question'] },
      { text: `${text} .`, labels: ['statement'] },
    ]);
    const learnKinds = (train = rows, startFrom: HeadState | null = null, of: SentenceEncoder = kinds): HeadState =>
      run(createClassificationTrainer({ ...input, train, validation: train, startFrom }, of), 40).exportModel();
    const shareOfRight = (state: HeadState) => {
      const head = loadClassificationHead(state, kinds);
      const right = ['reimburse the shipment', 'hello'].flatMap((text) => [
        head.probabilities(`${text} ?`)[0]! > 0.5,
        head.probabilities(`${text} .`)[1]! > 0.5,
      ]);
      return right.filter(Boolean).length / right.length;
    };

    it('learns from it, also in a continued job', () => {
      const state = learnKinds();
      expect(state.config['inner_vectors_of']).toBe('kinds');
      expect(shareOfRight(state)).toBe(1);
      expect(shareOfRight(learnKinds(rows.slice(0, 4), state))).toBe(1);
    });

    it('is not loaded on a base that lacks it', () => {
      const state = learnKinds();
      expect(() => loadClassificationHead(state, encoder)).toThrow(/vectors of 3 dimensions/);
    });

    it('leaves it out where it tells nothing, and a job that continues a head without it does not begin to read it', () => {
      const topics = learnKinds(seen);
      expect(topics.config['inner_vectors_of']).toBeUndefined();
      expect(
        learnKinds(rows, learnKinds(rows, null, { ...kinds, inner: null })).config['inner_vectors_of'],
      ).toBeUndefined();
    });
  });

  it('resumes from a saved state as if it had never stopped', () => {
    const whole = run(createWith(), 40);
    const resumed = createWith();
    resumed.restoreState(structuredClone(run(createWith(), 23).saveState()));
    expect(run(resumed, 17).exportModel()).toEqual(whole.exportModel());
  });

  it('continues an earlier head, adding new labels to the old', () => {
    const greetings = ['hello', 'hi there', 'good morning', 'good day', 'greetings', 'welcome'];
    const rows = [...greetings.map((text): Example => ({ text, labels: ['greeting'] })), ...seen.slice(0, 3)];
    const state = learnWith({ startFrom: learnWith(), train: rows, validation: rows });
    expect(state.config['labels']).toEqual(['delivery', 'refund', 'greeting']);
    expect(['reimburse', 'shipment', 'good morning'].map((text) => likeliest(state, text))).toEqual([
      'refund',
      'delivery',
      'greeting',
    ]);
  });

  it('continues an earlier head without vectors unchanged, and keeps the classes missing in its rows', () => {
    const earlier = learn({ train: seen, validation: seen });
    const train = seen.filter(({ labels }) => labels![0] === 'refund');
    const state = learnWith({ startFrom: earlier, train, validation: train });
    expect(loadClassificationHead(state, encoder).readsVectors).toBe(false);
    for (const text of said.delivery) expect(likeliest(state, text)).toBe('delivery');
  });

  it('reads no vectors if they need too many numbers for its classes, and says what is left out', () => {
    const lines: string[] = [];
    const large = { ...encoder, sentenceDimensions: 100_000_000 };
    const input = { settings, train: seen, validation: seen, log: (line: string) => lines.push(line) };
    const startFrom = learnWith();
    for (const from of [null, startFrom]) {
      const state = createClassificationTrainer({ ...input, startFrom: from }, large).exportModel();
      expect(loadClassificationHead(state).readsVectors).toBe(false);
    }
    const dropped = lines.filter((line) => line.startsWith('Vectors are not learned from: 2 classes'));
    expect(dropped.map((line) => line.includes('the earlier model'))).toEqual([false, true]);
  });

  it('reads no vectors if it has more rows than benefit from them', () => {
    const readsVectors = (usefulRows: number) => {
      const trainer = createClassificationTrainer(input, { ...encoder, usefulRows });
      return loadClassificationHead(run(trainer, 40).exportModel(), encoder).readsVectors;
    };
    expect([seen.length - 1, seen.length].map(readsVectors)).toEqual([false, true]);
  });

  it('is neither loaded nor continued with vectors of another kind', () => {
    const other = { ...encoder, sentenceVectors: 'others' };
    const state = learnWith();
    expect(() => loadClassificationHead(state, other)).toThrow(
      'The classification head reads vectors of texts (groups 2); the base model has others. Train it again.',
    );
    expect(() => createClassificationTrainer({ ...input, startFrom: state }, other)).toThrow(ArtifactError);
  });

  it('is loaded from the format in which vectors had no name', () => {
    const { vectors_of: _, ...config } = learnWith().config;
    expect(loadClassificationHead({ ...learnWith(), config }, encoder).readsVectors).toBe(true);
  });

  it('is not loaded on a base without that encoder', () => {
    const state = learnWith();
    expect(() => loadClassificationHead(state)).toThrow(ArtifactError);
    expect(() => loadClassificationHead(state, groupEncoder([]))).toThrow(/vectors of 10 dimensions/);
  });

  it.each<[string, (state: HeadState) => HeadState]>([
    ['no factor', (state) => ({ ...state, config: { ...state.config, vector_factor: null } })],
    [
      'fewer numbers than dimensions',
      (state) => ({
        ...state,
        tensors: { ...state.tensors, vector_weight: { shape: [10, 2], data: new Float32Array(4) } },
      }),
    ],
    [
      'no bias',
      (state) => ({ ...state, tensors: { ...state.tensors, vector_bias: { shape: [0], data: new Float32Array(0) } } }),
    ],
  ])('is refused when damaged: %s', (_what, damage) => {
    expect(() => loadClassificationHead(damage(learnWith()), encoder)).toThrow(/is damaged/);
  });
});

describe('a damaged classification head', () => {
  const state = learn();
  const without = (name: string) => Object.fromEntries(Object.entries(state.tensors).filter(([key]) => key !== name));

  it.each<[string, HeadState]>([
    ['terms of another version', { ...state, config: { ...state.config, terms_version: 0 } }],
    ['labels that are not texts', { ...state, config: { ...state.config, labels: [1] } }],
    ['fewer labels than weights', { ...state, config: { ...state.config, labels: ['a'] } }],
    ['a temperature of zero', { ...state, config: { ...state.config, temperature: 0 } }],
    ['a decision point of one', { ...state, config: { ...state.config, decision_point: 1 } }],
    ['no rank', { ...state, config: { ...state.config, rank: null } }],
    ['no bias', { ...state, tensors: without('bias') }],
    ['no scales', { ...state, tensors: without('lora_a_scales') }],
    ['no terms', { ...state, tensors: without('term_slots') }],
    [
      'a table without a free slot, in which a search would never end',
      {
        ...state,
        tensors: {
          ...state.tensors,
          term_slots: {
            shape: state.tensors['term_slots']!.shape,
            data: new Int32Array(state.tensors['term_slots']!.data.length),
          },
        },
      },
    ],
  ])('is refused: %s', (_what, damaged) => {
    expect(() => loadClassificationHead(damaged)).toThrow(ArtifactError);
  });
});
