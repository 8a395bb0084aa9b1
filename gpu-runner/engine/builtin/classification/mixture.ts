import { chooseDecisionPoint, f1At, fitTemperature } from './calibration.js';
import type { LinearWeights } from './head.js';
import type { MarginMachine } from './margin-machine.js';
import { meanLoss, type ScoredRow } from './probability.js';
import { QuantizedRows } from './quantized.js';

/** How the two learners of a head score a labelled row that neither was trained on. */
export interface JudgedRow {
  readonly gradient: Float64Array;
  /** Absent where no margin machine was trained. */
  readonly margin: Float64Array | null;
  readonly gold: readonly number[];
}

/** Factors on the scores of the learners. Their sum is linear too, so that it is served as one set of weights. */
export interface Mixture {
  readonly gradient: number;
  readonly margin: number;
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
 * Shares of the margin machine, of which of equals the first stays. The gradient learner always has one, because the settings of
 * a job are its settings.
 */
const shares = [0.9, 0.75, 0.5, 0.25, 0];
/** Fewer rows than this cannot choose. */
const minRows = 10;
const shareOfFewRows = 0.75;

/** The mixture that is right most often on the rows, and of equals the one with the least loss. */
export function chooseMixture(rows: readonly JudgedRow[], multiLabel: boolean): Judgement {
  const alone = (part: 'gradient' | 'margin') =>
    fitTemperature(
      rows.map((row) => ({ scores: row[part]!, gold: row.gold })),
      multiLabel,
    );
  if (rows[0] === undefined || rows[0].margin === null) return judge(rows, { gradient: 1, margin: 0 }, multiLabel);
  const [cooledGradient, cooledMargin] = [alone('gradient'), alone('margin')];
  const judgements = (rows.length < minRows ? [shareOfFewRows] : shares).map((share) =>
    judge(
      rows,
      share === 0
        ? { gradient: 1, margin: 0 }
        : { gradient: (1 - share) / cooledGradient, margin: share / cooledMargin },
      multiLabel,
    ),
  );
  return judgements.reduce((best, each) =>
    each.f1 > best.f1 || (each.f1 === best.f1 && each.loss < best.loss) ? each : best,
  );
}

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
    (score, k) => mixture.gradient * score + (row.margin === null ? 0 : mixture.margin * row.margin[k]!),
  );
}

/** Share of the rows whose best class is right: micro-F1 where each row has one. */
function shareOfRight(rows: readonly ScoredRow[]): number {
  const right = rows.filter(({ scores, gold }) => gold.includes(scores.indexOf(Math.max(...scores))));
  return rows.length === 0 ? 0 : right.length / rows.length;
}

/** One set of weights that scores as the mixture does. */
export function mixedWeights(learned: LinearWeights, machine: MarginMachine, mixture: Mixture): LinearWeights {
  const bias = learned.bias.map((value, k) => mixture.gradient * value + mixture.margin * machine.bias[k]!);
  if (mixture.margin === 0) return { ...learned, bias };
  const weights = machine.weights.map((value) => mixture.margin * value);
  if (learned.full !== null)
    learned.full.toFloat32().forEach((value, at) => (weights[at]! += mixture.gradient * value));
  const { lowRank } = learned;
  return {
    full: QuantizedRows.from(weights, bias.length),
    lowRank:
      lowRank === null || mixture.gradient === 0 ? null : { ...lowRank, scale: mixture.gradient * lowRank.scale },
    bias,
  };
}
