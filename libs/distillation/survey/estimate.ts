import { isRecord, type Json, type JsonObject } from '#domain/json.js';
import { calibrate, leastCount, type JudgedCall } from '../agreement/bound.js';
import { beatsOneAnswer } from '../agreement/one-sided.js';
import type { Proposal, TextAnswer } from '../mapping/mapping.js';
import { toRow } from '../mapping/to-row.js';
import { headsIn } from './heads.js';
import { crossFit } from './quick-fit.js';

/** What a quick model could answer of the calls, at one target. */
export interface EstimatedShare {
  readonly target: number;
  /** Share of the calls, 0 to 1; null if it is too often wrong where it is surest. */
  readonly share: number | null;
}

/** A lower estimate: a quick model over words, which answered each call without having learned from it. */
export interface Estimate {
  /** Calls that it was judged on. */
  readonly judged: number;
  /** Share of them in which it agrees with the teacher. */
  readonly agreement: number;
  /** The share that the commonest answer has, which is what guessing reaches. */
  readonly guessed: number;
  readonly shares: readonly EstimatedShare[];
}

export type Estimated =
  { readonly kind: 'estimate'; readonly estimate: Estimate } | { readonly kind: 'none'; readonly reason: NoEstimate };

/** Why there is no estimate: too few calls, nearly all with one answer, heads that only a training tells of, or fields that are not learned. */
export type NoEstimate = 'too_few_calls' | 'one_sided' | 'needs_training' | 'unmapped_fields';

export const TARGETS = [0.92, 0.95, 0.98];
/** Calls that are judged, and calls times labels: more cost seconds. */
const MOST_JUDGED = 2_000;
const MOST_SCORES = 100_000;

/**
 * Estimates what a small model could answer, where all that is learned are classes: others need a training.
 * @param answers without copies, in the order of time
 */
export function estimateOf(
  proposal: Proposal & { readonly kind: 'mapped' },
  answers: readonly TextAnswer[],
): Estimated {
  const { mapping, unmapped } = proposal;
  const heads = headsIn(proposal).filter(({ kind }) => kind !== 'constant' && kind !== 'null');
  if (!heads.every(({ kind }) => kind === 'class')) return { kind: 'none', reason: 'needs_training' };
  if (unmapped.length > 0) return { kind: 'none', reason: 'unmapped_fields' };
  const labels = heads.reduce((sum, head) => sum + head.labels!.length, 0);
  const own = spread(answers, Math.min(MOST_JUDGED, Math.floor(MOST_SCORES / labels)));
  if (own.length < leastCount(0, TARGETS[0]!)) return { kind: 'none', reason: 'too_few_calls' };
  const texts = own.map(({ text }) => text);
  const wanted = own.map((each) => toRow(mapping, each)).map((row) => row && classesIn(row));
  const names = [...new Set(wanted.flatMap((classes) => Object.keys(classes ?? {})))];
  const judged: { certainty: number; agrees: boolean }[] = wanted.map((classes) => ({
    ...{ certainty: 1, agrees: classes !== null },
  }));
  for (const name of names) {
    const right = wanted.map((classes) => classes && (classes[name] ?? ''));
    crossFit(texts, right).forEach(({ label, certainty }, at) => {
      judged[at]!.certainty *= certainty;
      if (label !== right[at]) judged[at]!.agrees = false;
    });
  }
  return { kind: 'estimate', estimate: { ...summed(judged), guessed: commonestOf(wanted) } };
}

/** Whether the model agrees with the teacher no more often than the commonest answer does. */
export const isRandom = ({ judged, agreement, guessed }: Estimate): boolean =>
  !beatsOneAnswer(Math.round(agreement * judged), Math.round(guessed * judged), judged);

function summed(judged: readonly JudgedCall[]): Omit<Estimate, 'guessed'> {
  const shares = TARGETS.flatMap((target): readonly EstimatedShare[] => {
    const calibration = calibrate(judged, target);
    if (calibration.kind === 'too-few') return [];
    return [{ target, share: calibration.kind === 'bound' ? calibration.bound.answered / judged.length : null }];
  });
  return { judged: judged.length, agreement: judged.filter(({ agrees }) => agrees).length / judged.length, shares };
}

/** Classes of a row by the name of their task. */
function classesIn({ label, labels }: JsonObject): Readonly<Record<string, string>> {
  if (typeof label === 'string') return { label };
  return isRecord(labels) ? (labels as Readonly<Record<string, string>>) : {};
}

function commonestOf(wanted: readonly (Readonly<Record<string, Json>> | null)[]): number {
  const counts = Map.groupBy(wanted, (classes) => JSON.stringify(classes)).values();
  return Math.max(...counts.map(({ length }) => length)) / wanted.length;
}

/** At most so many items, evenly spread over all. */
export function spread<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, items.length / most);
  return Array.from({ length: Math.min(most, items.length) }, (_, at) => items[Math.floor(at * step)]!);
}
