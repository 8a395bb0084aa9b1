import type { EvaluationMetrics } from '#domain/evaluation/index.js';
import type { EvaluationFigures, Figures } from '../engine/engine.js';

/** Labels of which an event tells: with more, it would not fit. The artifact's `metrics.json` has them all. */
const MAX_LABELS = 5_000;

/** Figures as events hold them: six decimals, and of very many labels those with the most occurrences. */
export function eventFigures({ perLabel, heads, ...figures }: EvaluationFigures): EvaluationMetrics {
  const labels = Object.entries(perLabel);
  const told =
    labels.length > MAX_LABELS ? labels.toSorted(([, a], [, b]) => b.support - a.support).slice(0, MAX_LABELS) : labels;
  return {
    ...rounded(figures),
    perLabel: Object.fromEntries(told.map(([label, each]) => [label, rounded(each)])),
    heads: Object.fromEntries(Object.entries(heads).map(([head, each]) => [head, rounded(each)])),
  };
}

const rounded = <T extends Figures>(figures: T): T =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, sixDecimals(value as number)]),
  ) as unknown as T;

const sixDecimals = (value: number): number => Math.round(value * 1e6) / 1e6;
