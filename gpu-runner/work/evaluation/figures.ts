import type { ConfidenceFigures, MeasuredFigures } from '#domain/training-job/index.js';

/** Maximum number of labels in an event: more would not fit. The artifact's `metrics.json` has them all. */
const MAX_LABELS = 5_000;

/** Figures as events hold them: six decimals, and of very many labels those with the most occurrences. */
export function eventFigures({ perLabel, heads, ...figures }: MeasuredFigures): MeasuredFigures {
  const labels = Object.entries(perLabel);
  const told =
    labels.length > MAX_LABELS ? labels.toSorted(([, a], [, b]) => b.support - a.support).slice(0, MAX_LABELS) : labels;
  return {
    ...rounded(figures),
    perLabel: Object.fromEntries(told.map(([label, each]) => [label, rounded(each)])),
    heads: Object.fromEntries(
      Object.entries(heads).map(([head, { confidence, ...each }]) => [
        head,
        { ...rounded(each), ...(confidence && { confidence: roundedConfidence(confidence) }) },
      ]),
    ),
  };
}

const roundedConfidence = ({ curve, ...figures }: ConfidenceFigures): ConfidenceFigures => ({
  ...rounded(figures),
  curve: curve.map(rounded),
});

/** @param figures numbers, or null for those that could not be measured */
export const rounded = <T extends object>(figures: T): T =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, sixDecimals(value as number | null)]),
  ) as unknown as T;

const sixDecimals = (value: number | null): number | null => (value === null ? null : Math.round(value * 1e6) / 1e6);

/** Figures of no rows. */
export const UNMEASURED: MeasuredFigures = {
  f1: null,
  precision: null,
  recall: null,
  macroF1: null,
  accuracy: null,
  perLabel: {},
  heads: {},
};
