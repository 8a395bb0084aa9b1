import { InvalidError } from '#domain/errors.js';
import {
  DEFAULT_POLICY,
  type CascadePolicy,
  type ImprovementPolicy,
  type RollbackRule,
} from '#domain/improvement/index.js';
import { versionOf } from '#use-cases/datasets/version-of.js';
import { isPresent } from '#primitives/values.js';
import { DEFAULT_AUDIT_SHARE } from '#use-cases/distillation/order.js';
import type { CascadeBody, PolicyBody, PolicyRecord } from './dto.js';

const { gate: GATE } = DEFAULT_POLICY;

/**
 * A policy in its stored form.
 * @throws InvalidError naming a field that requires another one
 */
export function policyFrom(body: PolicyBody): ImprovementPolicy {
  const { weekly_on: weekday, weekly_hour: hour, max_runs: runs, max_runs_days: days } = body;
  if (isPresent(hour) && !isPresent(weekday)) throw lacking('weekly_hour', 'weekly_on');
  if (isPresent(days) && !isPresent(runs)) throw lacking('max_runs_days', 'max_runs');
  if (isPresent(body.regression_version) && !isPresent(body.regression_dataset))
    throw lacking('regression_version', 'regression_dataset');
  const version = versionOf(body.regression_version);
  return {
    gate: {
      maxF1Drop: body.max_f1_drop ?? GATE.maxF1Drop,
      evidence: body.evidence ?? GATE.evidence,
      maxLabelDrop: body.max_label_drop === undefined ? GATE.maxLabelDrop : body.max_label_drop,
      minLabelRows: body.min_label_rows ?? GATE.minLabelRows,
      minRows: body.min_rows ?? GATE.minRows,
      minCorrections: body.min_corrections ?? GATE.minCorrections,
      maxSizeBytes: body.max_size_bytes ?? null,
      maxLatencyMs: body.max_latency_ms ?? null,
    },
    onPass: body.on_pass ?? DEFAULT_POLICY.onPass,
    regressionDataset: isPresent(body.regression_dataset)
      ? { name: body.regression_dataset, version: version === 'latest' ? null : version }
      : null,
    refusedCorrections: body.refused_corrections ?? 'again',
    triggers: {
      corrections: body.improve_after_corrections ?? null,
      weekly: isPresent(weekday) ? { weekday, hour: hour ?? 0 } : null,
    },
    budget: isPresent(runs) ? { runs, days: days ?? 7 } : null,
    rollback: rollbackFrom(body),
    driftPsi: body.drift_psi ?? null,
    ...(body.cascade !== undefined && { cascade: body.cascade && cascadeFrom(body.cascade) }),
  };
}

const cascadeFrom = ({
  to,
  target_agreement: target,
  audit_share: share,
  teacher_down: down,
}: CascadeBody): CascadePolicy => ({
  ...{ to, targetAgreement: target, auditShare: share ?? DEFAULT_AUDIT_SHARE, teacherDown: down ?? 'fail' },
});

function rollbackFrom(body: PolicyBody): RollbackRule | null {
  const { rollback_max_error_rate: errors, rollback_max_disagreement: disagreement } = body;
  const isOn = isPresent(errors) || isPresent(disagreement);
  for (const field of ['rollback_window_hours', 'rollback_min_calls'] as const)
    if (isPresent(body[field]) && !isOn) throw lacking(field, 'rollback_max_error_rate or rollback_max_disagreement');
  if (!isOn) return null;
  return {
    windowHours: body.rollback_window_hours ?? 24,
    minCalls: body.rollback_min_calls ?? 20,
    maxErrorRate: errors ?? null,
    maxDisagreement: disagreement ?? null,
  };
}

const lacking = (field: string, needed: string): InvalidError =>
  new InvalidError({ path: ['body', field], message: `needs ${needed}; send both or neither`, type: 'missing' });

/** A policy by the names of the request's fields. */
export const policyRecord = ({
  gate,
  onPass,
  regressionDataset: on,
  refusedCorrections = 'again',
  triggers: { corrections, weekly },
  budget,
  rollback,
  driftPsi = null,
  cascade = null,
}: ImprovementPolicy): PolicyRecord => ({
  max_f1_drop: gate.maxF1Drop,
  evidence: gate.evidence,
  max_label_drop: gate.maxLabelDrop,
  min_label_rows: gate.minLabelRows,
  min_rows: gate.minRows,
  min_corrections: gate.minCorrections,
  max_size_bytes: gate.maxSizeBytes,
  max_latency_ms: gate.maxLatencyMs,
  on_pass: onPass,
  regression_dataset: on?.name ?? null,
  regression_version: on?.version ?? null,
  refused_corrections: refusedCorrections,
  improve_after_corrections: corrections,
  weekly_on: weekly?.weekday ?? null,
  weekly_hour: weekly?.hour ?? null,
  max_runs: budget?.runs ?? null,
  max_runs_days: budget?.days ?? null,
  rollback_window_hours: rollback?.windowHours ?? null,
  rollback_min_calls: rollback?.minCalls ?? null,
  rollback_max_error_rate: rollback?.maxErrorRate ?? null,
  rollback_max_disagreement: rollback?.maxDisagreement ?? null,
  drift_psi: driftPsi,
  cascade: cascade && {
    ...{ to: cascade.to, target_agreement: cascade.targetAgreement },
    ...{ audit_share: cascade.auditShare, teacher_down: cascade.teacherDown },
  },
});
