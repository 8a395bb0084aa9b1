import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { loadModel } from '#application/models.js';
import { agreementOf } from '#distillation/agreement/bound.js';
import type { CallTotals, CascadeDayDocument } from '#projections/cascade-days/projection.js';
import { daysOfCascade } from '#projections/cascade-days/queries.js';
import { CallerQuery } from '../../commands-and-queries.js';

/** What a distilled name was asked, what that cost, and what it would have cost at the teacher. */
export interface Savings {
  /** Answered calls of callers, and those of them that the student answered. */
  readonly calls: number;
  readonly answered: number;
  readonly audited: number;
  /** null without audits. */
  readonly agreement: ReturnType<typeof agreementOf> | null;
  /** Picodollars of all calls, failed ones and audits too: as bills have them. */
  readonly cost: bigint;
  /** Picodollars, by the mean of the calls that the teacher answered in the whole time; null if it answered none. */
  readonly costBefore: bigint | null;
  /** Mean milliseconds until a caller had the answer; null without calls. */
  readonly latencyMs: number | null;
  /** Mean milliseconds of the teacher; null if it answered none. */
  readonly latencyBeforeMs: number | null;
}

export interface SavingsByDay extends Savings {
  /** ISO 8601 days, inclusive. */
  readonly from: string;
  readonly until: string;
  /** Days with calls, oldest first. */
  readonly days: readonly (Savings & { readonly day: string })[];
}

/** @throws NotFoundError there is no such model */
export class GetSavings extends CallerQuery<{ readonly name: string; readonly days: number }, SavingsByDay> {}

const DAY_MS = 24 * 60 * 60_000;

@QueryHandler(GetSavings)
export class GetSavingsHandler implements IQueryHandler<GetSavings> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { workspaceId }, input: { name, days: count } }: GetSavings): Promise<SavingsByDay> {
    await loadModel(this.application, { workspaceId, name });
    const now = Date.now();
    const [from, until] = [dayOf(now - (count - 1) * DAY_MS), dayOf(now)];
    const days = await daysOfCascade(this.application.ports.readStore, { workspaceId, name }, from);
    const asked = together(days.flatMap(({ teacher, audits }) => [teacher, audits]));
    return {
      ...{ from, until, ...savingsOf(days, asked) },
      days: days.map((day) => ({ day: day.day, ...savingsOf([day], asked) })),
    };
  }
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** @param asked all calls that the teacher answered, by whose mean the others are estimated */
function savingsOf(days: readonly CascadeDayDocument[], asked: Totals): Savings {
  const of = (kind: 'student' | 'teacher' | 'audits' | 'failed') => together(days.map((day) => day[kind]));
  const [student, teacher, audits, failed] = [of('student'), of('teacher'), of('audits'), of('failed')];
  const calls = student.calls + teacher.calls;
  const disagreements = days.reduce((sum, day) => sum + day.disagreements, 0);
  const isAsked = asked.calls > 0;
  return {
    ...{ calls, answered: student.calls, audited: audits.calls },
    agreement: audits.calls > 0 ? agreementOf(disagreements, audits.calls) : null,
    cost: student.cost + teacher.cost + audits.cost + failed.cost,
    // What the teacher answered is known; what the student did is estimated.
    costBefore: isAsked ? teacher.cost + (asked.cost * BigInt(student.calls)) / BigInt(asked.calls) : null,
    latencyMs: calls > 0 ? (student.latencyMs + teacher.latencyMs) / calls : null,
    latencyBeforeMs: isAsked ? asked.latencyMs / asked.calls : null,
  };
}

interface Totals extends Omit<CallTotals, 'cost'> {
  readonly cost: bigint;
}

const together = (totals: readonly CallTotals[]): Totals =>
  totals.reduce<Totals>(
    (sum, each) => ({
      calls: sum.calls + each.calls,
      cost: sum.cost + BigInt(each.cost),
      latencyMs: sum.latencyMs + each.latencyMs,
    }),
    { calls: 0, cost: 0n, latencyMs: 0 },
  );
