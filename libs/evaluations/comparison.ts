import { setImmediate as turn } from 'node:timers/promises';
import { addRow, intervalOf, randomBits, randomRows, resamplesOf, sumOf } from './resampling.js';
import { FIGURES, WIDTH, jsonRowsOf, scoredRowsOf, type Figure } from './row-counts.js';
import { countsOfFacts, f1OfFacts, f1OfRow, FACTS_WIDTH, type RowFacts } from './row-facts.js';

export const SIGNIFICANCE_TESTS = ['exact_mcnemar', 'approximate_randomization'] as const;
export type SignificanceTest = (typeof SIGNIFICANCE_TESTS)[number];

/** Comparison of two models on the same rows by one figure. */
export interface ComparedFigure {
  readonly value: number;
  readonly other: number;
  /**
   * `value - other`, and its 95% interval by a paired bootstrap over the rows; null if only counts of rows are
   * available.
   */
  readonly difference: { readonly value: number; readonly low: number | null; readonly high: number | null };
  /** Rows on which the first model did better; on which the other did; and all others. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Two-sided: of a difference this large or larger if the models did equally well. */
  readonly pValue: number;
  readonly test: SignificanceTest;
}

/** By the name of the figure. */
export type ComparedFigures = Readonly<Partial<Record<keyof typeof FIGURES, ComparedFigure>>>;

/** Rows whose figures are compared; for more, only whether each is right. */
export const MAX_COMPARED_ROWS = 40_000;

/**
 * Compares two models by the rows that each has right.
 * @param wins rows that the first alone has right
 * @param losses rows that the other alone has right
 * @param right rows that both have right
 * @param rows all rows, at least one
 */
export function comparedRows({
  wins,
  losses,
  right,
  rows,
}: Readonly<Record<'wins' | 'losses' | 'right' | 'rows', number>>): ComparedFigure {
  return {
    value: (right + wins) / rows,
    other: (right + losses) / rows,
    difference: { value: (wins - losses) / rows, low: null, high: null },
    ...{ wins, losses, ties: rows - wins - losses, pValue: exactMcNemar(wins, losses), test: 'exact_mcnemar' },
  };
}

/**
 * The two-sided p-value of McNemar's exact test: the rows that one model alone has right would go to either with probability 1/2
 * (McNemar 1947; the binomial form, as R's `binom.test` computes it).
 */
export function exactMcNemar(wins: number, losses: number): number {
  const rows = wins + losses;
  const fewer = Math.min(wins, losses);
  if (rows === 0) return 1;
  // The largest of the terms first: those after it soon add nothing.
  let term = Math.exp(logFactorial(rows) - logFactorial(fewer) - logFactorial(rows - fewer) - rows * Math.LN2);
  let tail = 0;
  for (let count = fewer; count >= 0 && term > tail * Number.EPSILON; count -= 1) {
    tail += term;
    term *= count / (rows - count + 1);
  }
  return Math.min(1, 2 * tail);
}

/** By Stirling's series, whose error is below 1e-15 from 256 on. */
function logFactorial(of: number): number {
  if (of < 256) return Array.from({ length: of }, (_, index) => Math.log(index + 1)).reduce((sum, log) => sum + log, 0);
  return of * Math.log(of) - of + Math.log(2 * Math.PI * of) / 2 + 1 / (12 * of) - 1 / (360 * of ** 3);
}

const EXACT: readonly (keyof typeof FIGURES)[] = ['exactMatch', 'normalizedExactMatch', 'validity'];
const OF_JSON: readonly (keyof typeof FIGURES)[] = ['validity', 'fieldF1'];
const COMPARED: readonly (keyof typeof FIGURES)[] = [
  'exactMatch',
  'normalizedExactMatch',
  'rougeL',
  'bleu',
  ...OF_JSON,
];

/**
 * Compares generated answers of two models to the same rows. Shares of rows are tested by McNemar's exact test; means and corpus
 * figures by approximate randomization: the answers of each row are exchanged or not (Noreen 1989; for BLEU Riezler and
 * Maxwell 2005), seeded, so that the same evaluations give the same p-value.
 * @param a counts of the rows, `WIDTH` numbers each
 * @param b counts of the other model's answers to the same rows
 * @throws the signal's reason
 */
export async function comparedAnswers(a: Float64Array, b: Float64Array, signal: AbortSignal): Promise<ComparedFigures> {
  const [sumA, sumB] = [sumOf(a, WIDTH), sumOf(b, WIDTH)];
  const compare = await comparer(a, b, WIDTH, signal);
  const areScored = scoredRowsOf(sumA) === a.length / WIDTH && scoredRowsOf(sumB) === b.length / WIDTH;
  const names = [
    ...COMPARED.filter((name) => !OF_JSON.includes(name) || jsonRowsOf(sumA) > 0),
    ...(areScored ? (['judge'] as const) : []),
  ];
  const compared: Partial<Record<keyof typeof FIGURES, ComparedFigure>> = {};
  for (const name of names)
    compared[name] = await compare(FIGURES[name], {
      isExact: EXACT.includes(name),
      counts: OF_JSON.includes(name) ? (row) => jsonRowsOf(row) > 0 : undefined,
    });
  return compared;
}

/** Compares two models by the micro-F1 of what each found in the same rows. @throws the signal's reason */
export async function comparedF1(
  a: readonly RowFacts[],
  b: readonly RowFacts[],
  signal: AbortSignal,
): Promise<ComparedFigure> {
  const compare = await comparer(countsOfFacts(a), countsOfFacts(b), FACTS_WIDTH, signal);
  return compare(f1OfFacts, { ofRow: f1OfRow });
}

interface How {
  /** The figure of a single row, if it is another one. */
  readonly ofRow?: Figure;
  /** Whether a row of the first model counts; absent: every row does. */
  readonly counts?: ((row: Float64Array) => boolean) | undefined;
  /** The figure is a share of rows. */
  readonly isExact?: boolean;
}

/** @param width numbers of a row */
async function comparer(a: Float64Array, b: Float64Array, width: number, signal: AbortSignal) {
  const [sumA, sumB] = [sumOf(a, width), sumOf(b, width)];
  const differences = await resampled(a, b, signal, width);
  const exchanged = await exchanges(a, b, signal, width);
  return async (figure: Figure, { ofRow = figure, counts, isExact = false }: How): Promise<ComparedFigure> => {
    await turn();
    signal.throwIfAborted();
    const counted = winsOf(rowsOf(a, width), rowsOf(b, width), ofRow, counts);
    const [value, other] = [figure(sumA), figure(sumB)];
    return {
      ...{ value, other, ...counted },
      difference: { value: value - other, ...intervalOf(differences.map(([one, two]) => figure(one) - figure(two))) },
      pValue: isExact ? exactMcNemar(counted.wins, counted.losses) : randomized(figure, value - other, exchanged),
      test: isExact ? 'exact_mcnemar' : 'approximate_randomization',
    };
  };
}

/** Sums of the counts of both models' rows, one pair for each resample. */
type Sums = readonly (readonly [Float64Array, Float64Array])[];

/**
 * Sums of both models over the same rows, drawn with replacement: the paired bootstrap (Efron and Tibshirani 1993; of two systems
 * on one test set Koehn 2004). Seeded, so that the same rows give the same sums.
 * @param width numbers of a row
 * @throws the signal's reason
 */
export async function resampled(a: Float64Array, b: Float64Array, signal: AbortSignal, width: number): Promise<Sums> {
  const rows = a.length / width;
  const draw = randomRows(rows);
  return rounds(rows, signal, () => {
    const sums = [new Float64Array(width), new Float64Array(width)] as const;
    for (let nth = 0; nth < rows; nth += 1) {
      const row = draw();
      addRow(sums[0], a, row);
      addRow(sums[1], b, row);
    }
    return sums;
  });
}

/** Sums of two models whose answers to each row were exchanged or not, at random. */
async function exchanges(a: Float64Array, b: Float64Array, signal: AbortSignal, width: number): Promise<Sums> {
  const rows = a.length / width;
  const draw = randomBits();
  return rounds(rows, signal, () => {
    const sums = [new Float64Array(width), new Float64Array(width)] as const;
    for (let row = 0; row < rows; row += 1) {
      const stays = draw() < 2 ** 31;
      addRow(sums[stays ? 0 : 1], a, row);
      addRow(sums[stays ? 1 : 0], b, row);
    }
    return sums;
  });
}

/** Share of the exchanges, including the observed one, with a difference at least as large as the observed one. */
function randomized(figure: Figure, difference: number, exchanged: Sums): number {
  // Sums in another order differ in their last bits.
  const seen = Math.abs(difference) - 1e-12;
  const asLarge = exchanged.filter(([one, two]) => Math.abs(figure(one) - figure(two)) >= seen).length;
  return (asLarge + 1) / (exchanged.length + 1);
}

/** Rows of a turn of the thread, which does other work between. */
const ROWS_A_TURN = 20_000;

async function rounds<T>(rows: number, signal: AbortSignal, round: () => T): Promise<readonly T[]> {
  const done: T[] = [];
  for (let since = 0; done.length < resamplesOf(rows); since += rows) {
    if (since >= ROWS_A_TURN) {
      since = 0;
      await turn();
      signal.throwIfAborted();
    }
    done.push(round());
  }
  return done;
}

const rowsOf = (counts: Float64Array, width: number): readonly Float64Array[] =>
  Array.from({ length: counts.length / width }, (_, row) => counts.subarray(row * width, (row + 1) * width));

function winsOf(
  a: readonly Float64Array[],
  b: readonly Float64Array[],
  figure: Figure,
  counts: How['counts'],
): Pick<ComparedFigure, 'wins' | 'losses' | 'ties'> {
  let [wins, losses, ties] = [0, 0, 0];
  a.forEach((row, at) => {
    if (counts && !counts(row)) return;
    const lead = figure(row) - figure(b[at]!);
    if (lead > 0) wins += 1;
    else if (lead < 0) losses += 1;
    else ties += 1;
  });
  return { wins, losses, ties };
}
