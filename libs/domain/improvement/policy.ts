import type { Env } from '../decider.js';
import { ConflictError } from '../errors.js';
import type { JsonObject } from '../json.js';
import { GATE_DEFAULTS, type GateRules } from './gate.js';

export const ON_PASS = ['candidate', 'promote'] as const;
export type OnPass = (typeof ON_PASS)[number];

export const REFUSED_CORRECTIONS = ['again', 'left_out'] as const;
export type RefusedCorrections = (typeof REFUSED_CORRECTIONS)[number];

/** Permissions of the system on a model, given by its owner. Everything that starts by itself is off by default. */
export type ImprovementPolicy = {
  readonly gate: GateRules;
  /** Fate of a version that passes the gate: it gets the label `candidate`, or is put in use. */
  readonly onPass: OnPass;
  /** Rows that no version learns from, on which both are compared besides those held out; null for none. */
  readonly regressionDataset: { readonly name: string; readonly version: number | null } | null;
  /**
   * Whether corrections that a refused version learned are learned again; absent in older policies:
   * `again`.
   */
  readonly refusedCorrections?: RefusedCorrections;
  readonly triggers: {
    /** Number of corrections since the last improvement after which it improves; null: never. */
    readonly corrections: number | null;
    /** Improves once a week, at this hour UTC; null: not. */
    readonly weekly: { readonly weekday: Weekday; readonly hour: number } | null;
  };
  /** Maximum number of improvements, and of distillations, within a number of days, by any requester; null for any number. */
  readonly budget: { readonly runs: number; readonly days: number } | null;
  /** Returns to the previous version if the one promoted last does badly; null: never. */
  readonly rollback: RollbackRule | null;
  /** Who answers the calls of distilled versions with them; null or absent: such versions answer alone. */
  readonly cascade?: CascadePolicy | null;
  /** Reports drift from this population stability index up; null: never. */
  readonly driftPsi?: number | null;
};

export const TEACHER_DOWN = ['student', 'fail'] as const;

/** Calls of which a distilled version is not sure go to its teacher. */
export type CascadePolicy = {
  /** Catalog id of the teacher. */
  readonly to: string;
  /** Share of the student's answers that have to be the teacher's, 0 to 1. */
  readonly targetAgreement: number;
  /** Share of the student's answers that the teacher is asked for as well, 0 to 1. */
  readonly auditShare: number;
  /** Whether the student answers, or the call fails, where the teacher should answer and cannot. */
  readonly teacherDown: (typeof TEACHER_DOWN)[number];
};

export type RollbackRule = {
  /** Hours after a promotion in which calls of the new version are watched. */
  readonly windowHours: number;
  /** Calls, or corrected calls, below which no share is judged. */
  readonly minCalls: number;
  /** Share of calls that failed; null: not judged. */
  readonly maxErrorRate: number | null;
  /** Share of the reviewed calls whose answer was corrected; null: not judged. */
  readonly maxDisagreement: number | null;
};

/** As `Date.getUTCDay` counts. */
export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const DEFAULT_POLICY: ImprovementPolicy = {
  ...{ gate: GATE_DEFAULTS, onPass: 'candidate', regressionDataset: null },
  ...{ triggers: { corrections: null, weekly: null }, budget: null, rollback: null, driftPsi: null, cascade: null },
};

/** The policy of a model, with defaults for settings that it lacks. */
export function policyOf(stored: JsonObject | null): ImprovementPolicy {
  const policy = (stored ?? {}) as Partial<ImprovementPolicy>;
  return {
    ...DEFAULT_POLICY,
    ...policy,
    gate: { ...GATE_DEFAULTS, ...policy.gate },
    triggers: { ...DEFAULT_POLICY.triggers, ...policy.triggers },
  };
}

const DAY_MS = 24 * 60 * 60_000;

/** @param startedAt when the ones before were requested @param said `model tickets was improved` @throws ConflictError it is used up */
export function refuseBeyondBudget(
  budget: ImprovementPolicy['budget'],
  startedAt: readonly string[],
  { now }: Env,
  said: string,
): void {
  if (!budget) return;
  const since = Date.parse(now) - budget.days * DAY_MS;
  const runs = startedAt.filter((at) => Date.parse(at) > since).length;
  if (runs >= budget.runs)
    throw new ConflictError(`${said} ${runs} times within ${budget.days} days, the most that its policy allows`);
}

/** The last time up to now at which a weekly trigger was due, ms since 1970. */
export function lastDue({ weekday, hour }: { readonly weekday: Weekday; readonly hour: number }, now: number): number {
  const at = new Date(now);
  const today = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), hour);
  const due = today - ((at.getUTCDay() - WEEKDAYS.indexOf(weekday) + 7) % 7) * DAY_MS;
  return due > now ? due - 7 * DAY_MS : due;
}
