import { chooseDecisionPoint, f1At, fitTemperature } from '../calibration.js';
import type { LinearWeights } from '../head.js';
import type { MarginMachine } from './margin-machine.js';
import { meanLoss, type ScoredRow } from '../probability.js';
import { QuantizedRows } from '../quantized.js';

/** Scores of the learners of a head for a labelled row that none of them was trained on. */
export interface JudgedRow {
  /** Scores by the text's terms, of the weights learned by gradient descent. */
  readonly gradient: Float64Array;
  /** Null if no margin machine was trained. */
  readonly margin: Float64Array | null;
  /** Scores of the machine of the text's vector; null if the base has no encoder. */
  readonly vector: Float64Array | null;
  /** Scores of the machine of its vector by an inner layer; null if that is not learned from. */
  readonly inner: Float64Array | null;
  /** Scores by the names of the classes; null if they tell nothing, or the base has no encoder. */
  readonly name: Float64Array | null;
  readonly gold: readonly number[];
}

/** Factors on the scores of the learners. Their sum is linear too, so that those of terms are served as one set of weights. */
interface Mixture {
  readonly gradient: number;
  readonly margin: number;
  readonly vector: number;
  readonly inner: number;
  readonly name: number;
}

export interface Judgement {
  readonly mixture: Mixture;
  readonly temperature: number;
  /** For several labels a row: the probability from which a label counts as present. */
  readonly decisionPoint: number;
  /** Mean negative log likelihood of a row. */
  readonly loss: number;
  readonly f1: number;
}

/**
 * Shares of the margin machine; the first of equals is chosen. The gradient learner always has one, because the
 * settings of a job are its settings.
 */
const SHARES = [0.9, 0.75, 0.5, 0.25, 0];
/** Shares of the machine of vectors, against both learners of terms. */
const VECTOR_SHARES = [0.95, 0.85, 0.7, 0.5, 0.3, 0];
/** Shares of the machine of the inner layer's vectors, against all of the above. */
const INNER_SHARES = [0.85, 0.7, 0.5, 0.3, 0];
/** Shares of the names of the classes, against all that was learned from rows. */
const NAME_SHARES = [0.7, 0.5, 0.35, 0.2, 0.1, 0];
/** Fewer rows than this cannot choose. */
const MIN_ROWS = 10;
const SHARE_OF_FEW_ROWS = 0.75;
const VECTOR_SHARE_OF_FEW_ROWS = 0.85;
const NAME_SHARE_OF_FEW_ROWS = 0.5;
const SHARES_OF = {
  vector: { few: VECTOR_SHARE_OF_FEW_ROWS, all: VECTOR_SHARES },
  inner: { few: 0, all: INNER_SHARES },
  name: { few: NAME_SHARE_OF_FEW_ROWS, all: NAME_SHARES },
} as const;

/** The mixture that is right most often on the rows, and of equals the one with the least loss. */
export function chooseMixture(rows: readonly JudgedRow[], multiLabel: boolean): Judgement {
  const terms = chooseAmongTerms(rows, multiLabel);
  const vectors = withPart(terms, 'vector', rows, multiLabel);
  return withPart(withPart(vectors, 'inner', rows, multiLabel), 'name', rows, multiLabel);
}

/** The judgement with a share of one more part, if that is better. */
function withPart(
  without: Judgement,
  part: keyof typeof SHARES_OF,
  rows: readonly JudgedRow[],
  multiLabel: boolean,
): Judgement {
  if (rows[0] === undefined || rows[0][part] === null) return without;
  const { few, all } = SHARES_OF[part];
  const temperature = temperatureOf(rows, part, multiLabel);
  const mixtureWith = (share: number): Mixture => {
    const scaled = Object.entries(without.mixture).map(([name, factor]) => [
      name,
      ((1 - share) * factor) / without.temperature,
    ]);
    return { ...(Object.fromEntries(scaled) as unknown as Mixture), [part]: share / temperature };
  };
  const judgements = (rows.length < MIN_ROWS ? [few] : all).map((share) =>
    share === 0 ? without : judge(rows, mixtureWith(share), multiLabel),
  );
  return part === 'vector' ? best(judgements) : likeliest(judgements);
}

function chooseAmongTerms(rows: readonly JudgedRow[], multiLabel: boolean): Judgement {
  const gradientAlone = { gradient: 1, margin: 0, vector: 0, inner: 0, name: 0 };
  if (rows[0] === undefined || rows[0].margin === null) return judge(rows, gradientAlone, multiLabel);
  const gradient = temperatureOf(rows, 'gradient', multiLabel);
  const margin = temperatureOf(rows, 'margin', multiLabel);
  return best(
    (rows.length < MIN_ROWS ? [SHARE_OF_FEW_ROWS] : SHARES).map((share) =>
      judge(
        rows,
        share === 0 ? gradientAlone : { ...gradientAlone, gradient: (1 - share) / gradient, margin: share / margin },
        multiLabel,
      ),
    ),
  );
}

/** The temperature that calibrates the scores of a learner alone. */
const temperatureOf = (
  rows: readonly JudgedRow[],
  part: 'gradient' | 'margin' | keyof typeof SHARES_OF,
  multiLabel: boolean,
): number =>
  fitTemperature(
    rows.map((row) => ({ scores: row[part]!, gold: row.gold })),
    multiLabel,
  );

/** Losses up to this multiple of the least cannot be told from it by some tens of rows. */
const NEAR = 1.1;

/** The one with the least share, which comes last, of those whose loss is near the least. */
const likeliest = (judgements: readonly Judgement[]): Judgement => {
  const least = Math.min(...judgements.map(({ loss }) => loss));
  return judgements.findLast(({ loss }) => loss <= NEAR * least)!;
};

const best = (judgements: readonly Judgement[]): Judgement =>
  judgements.reduce((first, each) =>
    each.f1 > first.f1 || (each.f1 === first.f1 && each.loss < first.loss) ? each : first,
  );

function judge(rows: readonly JudgedRow[], mixture: Mixture, multiLabel: boolean): Judgement {
  const mixed = rows.map((row) => ({ scores: mixedScores(row, mixture), gold: row.gold }));
  const temperature = fitTemperature(mixed, multiLabel);
  const decisionPoint = multiLabel ? chooseDecisionPoint(mixed, temperature) : 0.5;
  return {
    mixture,
    temperature,
    decisionPoint,
    loss: meanLoss(mixed, multiLabel, temperature),
    f1: multiLabel ? f1At(mixed, temperature, decisionPoint) : shareOfRight(mixed),
  };
}

function mixedScores(row: JudgedRow, mixture: Mixture): Float64Array {
  return row.gradient.map(
    (score, k) =>
      mixture.gradient * score +
      (row.margin === null ? 0 : mixture.margin * row.margin[k]!) +
      (row.vector === null ? 0 : mixture.vector * row.vector[k]!) +
      (row.inner === null ? 0 : mixture.inner * row.inner[k]!) +
      (row.name === null ? 0 : mixture.name * row.name[k]!),
  );
}

/** Share of the rows whose best class is right: micro-F1 where each row has one. */
function shareOfRight(rows: readonly ScoredRow[]): number {
  const right = rows.filter(({ scores, gold }) => gold.includes(scores.indexOf(Math.max(...scores))));
  return rows.length === 0 ? 0 : right.length / rows.length;
}

/**
 * A machine of vectors and a factor on its scores, which together score as the mixture does. The learned machine keeps its
 * own scale, from which a further training starts.
 * @param names null if names tell nothing
 */
export function mixedMachine(
  learned: MarginMachine,
  names: MarginMachine | null,
  mixture: Mixture,
): { readonly machine: MarginMachine; readonly factor: number } {
  if (names === null || mixture.name === 0) return { machine: learned, factor: mixture.vector };
  if (mixture.vector === 0) return { machine: names, factor: mixture.name };
  const share = mixture.name / mixture.vector;
  const weights = learned.weights.map((value, at) => value + share * names.weights[at]!);
  return { machine: { weights, bias: learned.bias }, factor: mixture.vector };
}

/** Weights of terms that score as the mixture does. @param machine null if none was trained */
export function mixedWeights(learned: LinearWeights, machine: MarginMachine | null, mixture: Mixture): LinearWeights {
  if (machine === null) return scaledWeights(learned, mixture.gradient);
  const bias = learned.bias.map((value, k) => mixture.gradient * value + mixture.margin * machine.bias[k]!);
  if (mixture.margin === 0) return { ...scaledWeights(learned, mixture.gradient), bias };
  const weights = machine.weights.map((value) => mixture.margin * value);
  if (learned.full !== null)
    learned.full.toFloat32().forEach((value, at) => (weights[at]! += mixture.gradient * value));
  return {
    full: QuantizedRows.from(weights, bias.length),
    lowRank: scaledWeights(learned, mixture.gradient).lowRank,
    bias,
  };
}

function scaledWeights({ full, lowRank, bias }: LinearWeights, factor: number): LinearWeights {
  if (factor === 1) return { full, lowRank, bias };
  return {
    full:
      full &&
      new QuantizedRows(
        full.values,
        full.scales.map((scale) => factor * scale),
        full.width,
      ),
    lowRank: lowRank && { ...lowRank, scale: factor * lowRank.scale },
    bias: bias.map((value) => factor * value),
  };
}
