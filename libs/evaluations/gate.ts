import type { GateDecision, GateRule, GateRules, RuleVerdict } from '#domain/improvement/gate.js';
import { pairedF1, type PairedF1 } from './paired-f1.js';
import type { RowFacts } from './row-facts.js';

/** The facts that two models found in the same rows, in the same order. */
interface PairedRows {
  readonly candidate: readonly RowFacts[];
  readonly champion: readonly RowFacts[];
}

/** Input of the gate's decision. */
export interface GateInput {
  readonly regression: PairedRows;
  /** Corrections that neither model learned from. */
  readonly corrections: PairedRows;
  /** Bytes of the stored models. */
  readonly sizeBytes: { readonly candidate: number; readonly champion: number | null };
  /** Medians in milliseconds; null if they were not measured. */
  readonly latencyMs: { readonly candidate: number; readonly champion: number | null } | null;
}

/**
 * Decides whether a trained model may take the place of the one in use: every rule of the policy, with its numbers.
 *
 * F1 is compared by a paired bootstrap with 95% intervals. With `evidence: worse`, an equal model is refused by chance in 2.5% of
 * the cases; with `not_worse`, a model that is worse by the bound is taken by chance in 2.5% of them. A label fails where its F1
 * drops by more than the bound and its interval excludes 0; the intervals of several labels are widened (Bonferroni), so that
 * chance refuses an equal model in 2.5% of the cases over all of them.
 * @throws the signal's reason
 */
export async function decideGate(rules: GateRules, input: GateInput, signal: AbortSignal): Promise<GateDecision> {
  const { regression, corrections, sizeBytes, latencyMs } = input;
  const verdicts: RuleVerdict[] = [
    support('regression_rows', regression, rules.minRows),
    support('correction_rows', corrections, rules.minCorrections),
  ];
  for (const [rule, { candidate, champion }] of [
    ['f1', regression],
    ['corrections_f1', corrections],
  ] as const) {
    if (candidate.length === 0) continue;
    const compared = await pairedF1(candidate, champion, {}, signal);
    verdicts.push(verdictOn(rule, compared, rules.maxF1Drop, isKept(compared, rules)));
  }
  verdicts.push(...(await labelVerdicts(rules, regression, signal)));
  if (rules.maxSizeBytes !== null) verdicts.push(bound('size', rules.maxSizeBytes, sizeBytes));
  if (rules.maxLatencyMs !== null && latencyMs) verdicts.push(bound('latency', rules.maxLatencyMs, latencyMs));
  return { passed: verdicts.every(({ passed }) => passed), rules: verdicts };
}

/** An interval of a few rows is too narrow to show anything: of a single row it has no width. */
function isKept({ rows, difference: { low, high } }: PairedF1, rules: GateRules): boolean {
  if (rules.evidence === 'not_worse') return low >= -rules.maxF1Drop;
  return rows < rules.minLabelRows || high >= -rules.maxF1Drop;
}

async function labelVerdicts(
  { maxLabelDrop, minLabelRows }: GateRules,
  { candidate, champion }: PairedRows,
  signal: AbortSignal,
): Promise<readonly RuleVerdict[]> {
  if (maxLabelDrop === null) return [];
  const rowsWith = new Map<string, number>();
  for (const facts of champion)
    for (const [label, [, , gold]] of Object.entries(facts))
      if (gold > 0) rowsWith.set(label, (rowsWith.get(label) ?? 0) + 1);
  const labels = [...rowsWith].filter(([, rows]) => rows >= minLabelRows).map(([label]) => label);
  const verdicts: RuleVerdict[] = [];
  for (const label of labels.toSorted()) {
    const compared = await pairedF1(candidate, champion, { label, alpha: 0.05 / labels.length }, signal);
    const { value, high } = compared.difference;
    const passed = !(-value > maxLabelDrop && high < 0);
    verdicts.push({ ...verdictOn('label_f1', compared, maxLabelDrop, passed), label, rows: rowsWith.get(label)! });
  }
  return verdicts;
}

const verdictOn = (
  rule: GateRule,
  { rows, value, other, difference }: PairedF1,
  limit: number,
  passed: boolean,
): RuleVerdict => ({ rule, passed, limit, label: null, rows, candidate: value, champion: other, difference });

const support = (rule: GateRule, { candidate }: PairedRows, limit: number): RuleVerdict => ({
  ...{ rule, passed: candidate.length >= limit, limit, label: null, rows: candidate.length },
  ...{ candidate: candidate.length, champion: null, difference: null },
});

const bound = (rule: GateRule, limit: number, { candidate, champion }: GateInput['sizeBytes']): RuleVerdict => ({
  ...{ rule, passed: candidate <= limit, limit, label: null, rows: null, candidate, champion, difference: null },
});
