import type { GenerationFigures, Measured } from '#domain/evaluation/index.js';
import { addRow, intervalOf, randomRows, resamplesOf, sumOf } from './resampling.js';
import { countsOf, FIGURES, jsonRowsOf, scoredRowsOf, WIDTH, type Answered, type Figure } from './row-counts.js';

/**
 * Figures of generated answers, each with its 95% interval: the 2.5th and 97.5th percentile over resamples of the rows (Efron's
 * bootstrap, seeded, so that the same answers give the same interval).
 * @param answers at least one
 */
export const generationFigures = (answers: readonly Answered[]): GenerationFigures =>
  figuresOfCounts(answers.map(countsOf));

/** Replies of a judge without a valid score, by their problem. */
type Unscored = Readonly<Record<'malformed' | 'refused', number>>;

/**
 * @param rows counts of each, at least one
 * @param unscored given if a judge graded the answers
 */
export function figuresOfCounts(rows: readonly Float64Array[], unscored?: Unscored): GenerationFigures {
  const counts = new Float64Array(rows.length * WIDTH);
  rows.forEach((row, at) => counts.set(row, at * WIDTH));
  const sums = [sumOf(counts, WIDTH), ...resampled(counts, WIDTH)];
  const measured = (figure: Figure, rowsOf: Figure = () => 1): Measured => {
    // A resample may hold no row that the figure is of.
    const [value, ...others] = sums.filter((sum) => rowsOf(sum) > 0).map(figure) as [number, ...number[]];
    const { low, high } = intervalOf(others);
    return { value: six(value), low: six(low), high: six(high) };
  };
  const jsonRows = jsonRowsOf(sums[0]!);
  const scored = scoredRowsOf(sums[0]!);
  return {
    exactMatch: measured(FIGURES.exactMatch),
    normalizedExactMatch: measured(FIGURES.normalizedExactMatch),
    rougeL: measured(FIGURES.rougeL),
    bleu: measured(FIGURES.bleu),
    json:
      jsonRows === 0
        ? null
        : {
            rows: jsonRows,
            validity: measured(FIGURES.validity),
            fieldF1: measured(FIGURES.fieldF1),
            fieldPrecision: measured(FIGURES.fieldPrecision),
            fieldRecall: measured(FIGURES.fieldRecall),
          },
    ...(unscored && {
      judge: { score: scored === 0 ? null : measured(FIGURES.judge, scoredRowsOf), scored, ...unscored },
    }),
  };
}

/**
 * The perplexity of expected answers, e to the loss of a token, with its 95% interval over resamples of the rows.
 * @param losses of rows, in nats, each summed over its number of tokens
 * @returns null if no answer has a token
 */
export function perplexityOf(losses: readonly { readonly nats: number; readonly tokens: number }[]): Measured | null {
  const told = losses.filter(({ tokens }) => tokens > 0);
  if (told.length === 0) return null;
  const counts = Float64Array.from(told.flatMap(({ nats, tokens }) => [nats, tokens]));
  const sums = [sumOf(counts, 2), ...resampled(counts, 2)];
  const [value, ...others] = sums.map(([nats, tokens]) => Math.exp(Math.min(nats! / tokens!, MAX_NATS)));
  const { low, high } = intervalOf(others);
  return { value: six(value!), low: six(low), high: six(high) };
}

/** e to much more is no number. */
const MAX_NATS = 600;

/** Sums of as many rows as there are, drawn with replacement. @param counts of rows, `width` numbers each */
function resampled(counts: Float64Array, width: number): readonly Float64Array[] {
  const rows = counts.length / width;
  const draw = randomRows(rows);
  return Array.from({ length: resamplesOf(rows) }, () => {
    const sum = new Float64Array(width);
    for (let nth = 0; nth < rows; nth += 1) addRow(sum, counts, draw());
    return sum;
  });
}

const six = (value: number): number => Math.round(value * 1e6) / 1e6;
