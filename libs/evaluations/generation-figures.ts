import type { GenerationFigures, Measured } from '#domain/evaluation/index.js';
import { percentile, randomRows, resamplesOf } from './resampling.js';
import { countsOf, FIGURES, jsonRowsOf, scoredRowsOf, WIDTH, type Answered, type Figure } from './row-counts.js';

/**
 * Figures of generated answers, each with its 95% interval: the 2.5th and 97.5th percentile over resamples of the rows (Efron's
 * bootstrap, seeded, so that the same answers give the same interval).
 * @param answers at least one
 */
export const generationFigures = (answers: readonly Answered[]): GenerationFigures =>
  figuresOfCounts(answers.map(countsOf));

/** Replies of a judge that give no score, by what is wrong with them. */
export type Unscored = Readonly<Record<'malformed' | 'refused', number>>;

/**
 * @param rows counts of each, at least one
 * @param unscored given if a judge graded the answers
 */
export function figuresOfCounts(rows: readonly Float64Array[], unscored?: Unscored): GenerationFigures {
  const sums = [sumOf(rows, rows.keys()), ...resampled(rows)];
  const measured = (figure: Figure, rowsOf: Figure = () => 1): Measured => {
    // A resample may hold no row that the figure is of.
    const [value, ...others] = sums.filter((sum) => rowsOf(sum) > 0).map(figure) as [number, ...number[]];
    const sorted = others.toSorted((a, b) => a - b);
    return { value: six(value), low: six(percentile(sorted, 0.025)), high: six(percentile(sorted, 0.975)) };
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

/** Sums of as many rows as there are, drawn with replacement. */
function resampled(rows: readonly Float64Array[]): readonly Float64Array[] {
  const draw = randomRows(rows.length);
  const drawn = () => Array.from(rows, () => draw());
  return Array.from({ length: resamplesOf(rows.length) }, () => sumOf(rows, drawn()));
}

function sumOf(rows: readonly Float64Array[], drawn: Iterable<number>): Float64Array {
  const sum = new Float64Array(WIDTH);
  for (const at of drawn) {
    const row = rows[at]!;
    for (let count = 0; count < WIDTH; count += 1) sum[count]! += row[count]!;
  }
  return sum;
}

const six = (value: number): number => Math.round(value * 1e6) / 1e6;
