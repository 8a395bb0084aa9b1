import { crossValidate, type CrossValidationInput } from './cross-validation.js';
import { FullWeights } from '../weights/full-weights.js';
import { CrfLearner } from './learner.js';
import { selectRows, type CompiledRows } from './rows.js';
import { tagCount } from '../lattice/tags.js';
import { trainSettings } from '../../train-settings.fixture.js';

const settings = trainSettings({
  epochs: 3,
  batchSize: 2,
  earlyStoppingPatience: 0,
  loraDropout: 0,
  warmupRatio: 0,
  weightDecay: 0,
});

/** Rows of one token each, with a feature of their own: nothing but the prior tells anything about a row not seen. */
function rowsWith(priorOf: (gold: number) => number, rowCount = 20): CompiledRows {
  const upTo = Array.from({ length: rowCount + 1 }, (_, k) => k);
  const gold = Array.from({ length: rowCount }, (_, k) => k % 2);
  return {
    rowCount,
    segmentCount: rowCount,
    tokenCount: rowCount,
    rows: Int32Array.from(upTo),
    segments: Int32Array.from(upTo),
    offsets: Uint32Array.from(upTo),
    features: Uint32Array.from(upTo.slice(0, -1)),
    gold: Uint16Array.from(gold),
    prior: {
      offsets: Uint32Array.from(upTo),
      tags: Uint16Array.from(gold.map(priorOf)),
      scores: new Float32Array(rowCount).fill(3),
    },
    vectors: {
      ...{ dimensions: 2, rows: rowCount },
      numbers: Int8Array.from({ length: 2 * rowCount }, (_, k) => k),
      places: Int32Array.from({ length: rowCount }, (_, k) => k),
    },
  };
}

function inputOf(rows: CompiledRows): CrossValidationInput {
  return {
    rows,
    priorWeights: [0.25, 1],
    settings,
    createLearner: (train, priorWeight, random) =>
      new CrfLearner({
        labels: 1,
        weights: new FullWeights(rows.rowCount, tagCount(1), 0, 0.01),
        train,
        batchSize: 2,
        dropout: 0,
        priorWeight,
        transitionRate: 0.002,
        random,
      }),
  };
}

describe('cross-validation', () => {
  it('weights the base by how often it is right', () => {
    expect(crossValidate(inputOf(rowsWith((gold) => gold)))!.priorWeight).toBe(1);
    expect(crossValidate(inputOf(rowsWith((gold) => 1 - gold)))!.priorWeight).toBe(0.25);
  });

  it('judges every row once, by a learner that did not see it', () => {
    const judgement = crossValidate(inputOf(rowsWith(() => 0)))!.after(3, [1])[0]!;
    expect([judgement.rows, judgement.gold]).toEqual([20, 10]);
    // A row's own feature would make its answer right; the prior says that there is nothing.
    expect(judgement.probabilities.every((probability) => probability < 0.7)).toBe(true);
  });

  it('gives the same result for an epoch, whatever was requested before', () => {
    const one = crossValidate(inputOf(rowsWith((gold) => gold)))!;
    const other = crossValidate(inputOf(rowsWith((gold) => gold)))!;
    other.after(3, [1]);
    expect(other.after(2, [1.3])).toEqual(one.after(2, [1.3]));
    expect(other.after(3, [1])).toEqual(one.after(3, [1]));
  });

  it('gives the same result for a temperature, whatever others are requested with it', () => {
    const one = crossValidate(inputOf(rowsWith((gold) => gold)))!;
    const [mild, usual] = one.after(3, [1.3, 1]);
    expect([mild]).toEqual(one.after(3, [1.3]));
    expect([usual]).toEqual(one.after(3, [1]));
    expect(mild!.loss).not.toBe(usual!.loss);
  });

  it('is skipped for one row, and for many', () => {
    expect(crossValidate(inputOf(rowsWith(() => 0, 1)))).toBeNull();
    expect(crossValidate(inputOf(rowsWith(() => 0, 1000)))).toBeNull();
  });
});

describe('selected rows', () => {
  it('are the requested ones, with features, tags, prior and vectors', () => {
    const rows = rowsWith((gold) => gold, 5);
    const { features, gold, prior, vectors, rowCount } = selectRows(rows, [3, 0]);
    expect(rowCount).toBe(2);
    expect([...features]).toEqual([3, 0]);
    expect([...gold]).toEqual([1, 0]);
    expect([...prior!.tags]).toEqual([1, 0]);
    expect(vectors).toMatchObject({ dimensions: 2, places: Uint32Array.of(3, 0) });
    expect(selectRows(selectRows(rows, [4, 3, 0]), [1, 0]).vectors!.places).toEqual(Int32Array.of(3, 4));
  });

  it('share the numbers of the vectors', () => {
    const rows = rowsWith((gold) => gold, 5);
    expect(selectRows(rows, [3, 0]).vectors!.numbers).toBe(rows.vectors!.numbers);
  });
});
