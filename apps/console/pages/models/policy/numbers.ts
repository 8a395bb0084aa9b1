import type { Schema } from '../../../api/client.js';
import { textOf } from '../../../components/form.js';

export type Policy = Schema['PolicyRecord'];

/** The gate's numbers that hold where no policy is set. */
export const DEFAULTS = {
  ...{ max_f1_drop: 0.01, max_label_drop: 0.1 },
  ...{ min_label_rows: 10, min_rows: 10, min_corrections: 0 },
} as const;

const PERCENT = 100;
const MEGABYTE = 1e-6;

/** The policy's numbers, and by how much the form's are greater. */
const UNITS = {
  ...{ improve_after_corrections: 1, weekly_hour: 1, max_runs: 1, max_runs_days: 1 },
  ...{ max_f1_drop: PERCENT, max_label_drop: PERCENT, min_label_rows: 1, min_rows: 1, min_corrections: 1 },
  ...{ max_latency_ms: 1, max_size_bytes: MEGABYTE },
  ...{ rollback_max_error_rate: PERCENT, rollback_max_disagreement: PERCENT },
  ...{ rollback_window_hours: 1, rollback_min_calls: 1, drift_psi: 1 },
  ...{ 'cascade.target_agreement': PERCENT, 'cascade.audit_share': PERCENT },
} as const;

export type NumberName = keyof typeof UNITS;

/** Products of decimal fractions are right to so many digits. */
const DIGITS = 15;
const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

/** A number of a policy as the form writes it; empty for null. */
export const written = (name: NumberName, value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(rounded(value * UNITS[name]));

function meant(form: FormData, name: NumberName): number | null {
  const text = textOf(form, name).trim();
  return text === '' ? null : rounded(Number(text) / UNITS[name]);
}

/** The policy in a form of rules. An empty field is null: the API's default, or no rule. An unchanged cascade is left out. */
export function policyIn(form: FormData, cascade: Policy['cascade']): Schema['PolicyBody'] {
  const names = (Object.keys(UNITS) as NumberName[]).filter((name) => !name.startsWith('cascade.'));
  const numbers = names.map((name) => [name, meant(form, name)] as const);
  const texts = ['on_pass', 'evidence', 'refused_corrections', 'weekly_on', 'regression_dataset', 'regression_version'];
  const chosen = texts.map((name) => [name, textOf(form, name).trim() || null] as const);
  const wanted = form.has('cascade.to') ? cascadeIn(form) : cascade;
  const isSame = JSON.stringify(wanted) === JSON.stringify(cascade);
  return {
    ...(Object.fromEntries([...numbers, ...chosen]) as Schema['PolicyBody']),
    ...(!isSame && { cascade: wanted }),
  };
}

function cascadeIn(form: FormData): Policy['cascade'] {
  const to = textOf(form, 'cascade.to');
  if (to === '') return null;
  return {
    to,
    target_agreement: meant(form, 'cascade.target_agreement') ?? 0,
    audit_share: meant(form, 'cascade.audit_share') ?? 0,
    teacher_down: textOf(form, 'cascade.teacher_down') === 'student' ? 'student' : 'fail',
  };
}
