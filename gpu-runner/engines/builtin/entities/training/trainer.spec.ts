import { TrainingError, type Example, type TrainSettings } from '../../../engine.js';
import { buildGazetteer } from '../../features/gazetteer.js';
import type { HeadState, HeadTrainerInput } from '../../head.js';
import { loadBaseTagger, loadEntityHead, mappedHead } from '../index.js';
import { entityTrainer } from './trainer.fixture.js';
import { trainBaseTagger } from '#tools/base-model/base-training.js';
import { trainSettings } from '../../train-settings.fixture.js';

const cities = ['Paris', 'Rome', 'Oslo', 'New York', 'Lima', 'Cairo'];
const foods = ['pizza', 'sushi', 'bean soup', 'tacos'];

function row(pattern: string, values: Readonly<Record<string, string>>): Example {
  let text = '';
  const entities: { start: number; end: number; label: string }[] = [];
  for (const part of pattern.split(/(\{\w+\})/)) {
    const label = /^\{(\w+)\}$/.exec(part)?.[1];
    const piece = label ? values[label]! : part;
    if (label) entities.push({ start: text.length, end: text.length + piece.length, label });
    text += piece;
  }
  return { text, entities };
}

const rows = cities.flatMap((city) =>
  foods.flatMap((food) => [
    row('Find me {food} in {city} please', { city, food }),
    row('Is there any {food} near {city} ?', { city, food }),
    row('Fly to {city}', { city }),
    { text: 'Nothing to see here', entities: [] },
  ]),
);

const base = loadBaseTagger(
  trainBaseTagger(
    cities.flatMap((city) => [row('He lives in {city} .', { city }), row('{city} is large', { city })]),
    {
      gazetteer: buildGazetteer([{ name: 'city', phrases: cities }]),
      types: ['city', 'date'],
      seed: 1,
      minimumCount: 1,
    },
  ),
);

const settings = trainSettings();

function input(changes: Partial<TrainSettings> = {}, more: Partial<HeadTrainerInput> = {}): HeadTrainerInput {
  const rate = changes.trainingType === 'lora' ? { learningRate: 2e-4 } : {};
  return {
    settings: { ...settings, ...rate, ...changes },
    train: rows.slice(8),
    validation: rows.slice(0, 8),
    startFrom: null,
    log: () => undefined,
    ...more,
  };
}

/** Where training is compared with training, few rows and epochs tell as much as many. */
const few = rows.slice(8, 40);
const short = (changes: Partial<TrainSettings> = {}): HeadTrainerInput =>
  input({ epochs: 2, ...changes }, { train: few });

function train(from: HeadTrainerInput, steps = Infinity, losses: number[] = []) {
  const trainer = entityTrainer(from, base);
  const total = Math.min(steps, from.settings.epochs * trainer.stepsPerEpoch);
  for (let step = 0; step < total; step++) losses.push(trainer.step());
  return trainer;
}

function bytesOf({ config, tensors }: HeadState): string {
  const numbers = Object.entries(tensors).map(([name, { data }]) => [
    name,
    Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
  ]);
  return JSON.stringify([config, numbers]);
}

const types = ['full', 'lora'] as const;

const losses = { full: [] as number[], lora: [] as number[] };
/** Heads of each training type after ten epochs, trained once. */
const learned = Object.fromEntries(
  types.map((trainingType) => [
    trainingType,
    train(input({ trainingType, epochs: 10 }), Infinity, losses[trainingType]),
  ]),
) as Record<(typeof types)[number], ReturnType<typeof train>>;

describe.each(types)('%s training', (trainingType) => {
  const whole = train(short({ trainingType }));

  it('learns spans that it then finds in unseen words', () => {
    const trainer = learned[trainingType];
    expect(trainer.validate().f1).toBeGreaterThan(0.95);
    const head = loadEntityHead(trainer.exportModel(), base);
    const text = 'Find me ramen in Lisbon please';
    expect(head.tag(text, 0.5).hits.map(({ text: found, label }) => [found, label])).toEqual([
      ['ramen', 'food'],
      ['Lisbon', 'city'],
    ]);
  });

  it('lowers the loss from the first epoch to the last', () => {
    const { stepsPerEpoch } = learned[trainingType];
    const mean = (part: readonly number[]) => part.reduce((sum, loss) => sum + loss, 0) / part.length;
    const [first, last] = [losses[trainingType].slice(0, stepsPerEpoch), losses[trainingType].slice(-stepsPerEpoch)];
    expect(mean(last)).toBeLessThan(mean(first) / 2);
  });

  it('exports the same bytes for the same seed, and others for another', () => {
    const one = bytesOf(whole.exportModel());
    expect(bytesOf(train(short({ trainingType })).exportModel())).toBe(one);
    expect(bytesOf(train(short({ trainingType, seed: 8 })).exportModel())).not.toBe(one);
  });

  it.each([1, 9])('resumes after %i steps to the same bytes', (steps) => {
    const state = train(short({ trainingType }), steps).saveState();
    const resumed = entityTrainer(short({ trainingType }), base);
    // A step of a fresh trainer before it is restored must not matter.
    resumed.step();
    resumed.restoreState(state);
    for (let step = steps; step < 2 * resumed.stepsPerEpoch; step++) resumed.step();
    expect(bytesOf(resumed.exportModel())).toBe(bytesOf(whole.exportModel()));
    expect(bytesOf(resumed.saveState())).toBe(bytesOf(whole.saveState()));
  });

  const usual = bytesOf(train(short({ trainingType, epochs: 1 })).exportModel());
  it.each<Partial<TrainSettings>>([
    { learningRate: 2e-5 },
    { batchSize: 8 },
    { loraDropout: 0.5 },
    { scheduler: 'constant' },
    { scheduler: 'cosine' },
    { warmupRatio: 0.5 },
    { weightDecay: 0.5 },
    ...(trainingType === 'lora' ? [{ loraR: 8 }, { loraAlpha: 32 }] : []),
  ])('applies %j', (change) => {
    expect(bytesOf(train(short({ trainingType, epochs: 1, ...change })).exportModel())).not.toBe(usual);
  });

  it('continues an earlier export, with old and new labels', () => {
    const earlier = learned[trainingType].exportModel();
    const dated = [row('Meet on {date} .', { date: 'Monday' }), row('Meet on {date} .', { date: 'Friday' })];
    const trainer = entityTrainer(
      input({ trainingType, epochs: 6 }, { train: dated, validation: [], startFrom: earlier }),
      base,
    );
    for (let step = 0; step < 6 * trainer.stepsPerEpoch; step++) trainer.step();
    const head = loadEntityHead(trainer.exportModel(), base);
    expect(head.labels).toEqual(expect.arrayContaining(['city', 'date', 'food']));
    const found = (text: string) => head.tag(text, 0.3).hits.map((hit) => `${hit.label} ${hit.text}`);
    expect(found('Fly to Rome')).toEqual(['city Rome']);
    expect(found('Meet on Friday .')).toEqual(['date Friday']);
  });
});

describe('continuing as the other type', () => {
  it.each([
    ['full', 'lora'],
    ['lora', 'full'],
  ] as const)('%s, then %s: keeps the learned labels', (first, second) => {
    const earlier = learned[first].exportModel();
    const trainer = entityTrainer(input({ trainingType: second }, { startFrom: earlier }), base);
    expect(trainer.validate().f1).toBeGreaterThan(0.9);
    trainer.step();
    expect(loadEntityHead(trainer.exportModel(), base).tag('Fly to Rome', 0.5).hits).toHaveLength(1);
  });
});

describe('rows', () => {
  it('of cross-validation cause a heartbeat after each epoch', () => {
    let told = 0;
    entityTrainer(input({ epochs: 2 }, { train: few, working: () => (told += 1) }), base);
    expect(told).toBeGreaterThanOrEqual(3 * 2);
  });

  it('without the key are ignored; with none labelled there is nothing to train', () => {
    const silent = rows.map(({ text }) => ({ text }));
    const one = entityTrainer(short(), base);
    const other = entityTrainer(input({}, { train: [...silent, ...few] }), base);
    expect(other.stepsPerEpoch).toBe(one.stepsPerEpoch);
    expect(() => entityTrainer(input({}, { train: silent, validation: [] }), base)).toThrow(TrainingError);
  });

  it('with nested spans are used, and the log counts the nested spans', () => {
    const nested: Example = {
      text: 'University of Rome',
      entities: [
        { start: 0, end: 18, label: 'school' },
        { start: 14, end: 18, label: 'city' },
      ],
    };
    const lines: string[] = [];
    const trainer = entityTrainer(input({}, { train: [nested, ...few], log: (line) => lines.push(line) }), base);
    expect(lines.some((line) => /^1 nested/.test(line))).toBe(true);
    expect(trainer.stepsPerEpoch).toBe(Math.ceil((few.length + 1) / settings.batchSize));
  });
});

describe('a served head', () => {
  const head = loadEntityHead(learned.full.exportModel(), base);

  it('gives offsets into the whole text, across lines, and counts tokens', () => {
    const text = 'Fly to Rome\n\nIs there any sushi near Oslo ?';
    const { hits, inputTokens, truncated } = head.tag(text, 0.5);
    expect(hits.map(({ start, end }) => text.slice(start, end))).toEqual(['Rome', 'sushi', 'Oslo']);
    expect(hits.every((hit) => text.slice(hit.start, hit.end) === hit.text)).toBe(true);
    expect(inputTokens).toBe(10);
    expect(truncated).toBe(false);
  });

  it('returns fewer hits at a higher threshold, each at least as confident', () => {
    const text = 'Find me Rome in pizza please near Oslo tacos';
    let previous = Infinity;
    for (const threshold of [0, 0.1, 0.3, 0.5, 0.8, 0.99]) {
      const { hits } = head.tag(text, threshold);
      expect(hits.every(({ confidence }) => confidence >= threshold && confidence <= 1)).toBe(true);
      expect(hits.length).toBeLessThanOrEqual(previous);
      previous = hits.length;
    }
  });

  it('finds nothing in an empty text', () => {
    expect(head.tag('', 0.5)).toEqual({ hits: [], inputTokens: 0, truncated: false });
    expect(head.tag(' \n ', 0.5).hits).toEqual([]);
  });
});

describe('the base under other labels', () => {
  it('finds the types that they stand for, and nothing for labels without types', () => {
    const head = mappedHead(
      base,
      new Map([
        ['place', ['city', 'date']],
        ['dish', []],
      ]),
    );
    expect(head.labels).toEqual(['place', 'dish']);
    expect(head.tag('He lives in Rome .', 0.5).hits.map(({ text, label }) => [text, label])).toEqual([
      ['Rome', 'place'],
    ]);
  });
});
