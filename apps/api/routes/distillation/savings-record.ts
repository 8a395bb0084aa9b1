import { dollars } from '#domain/inference/index.js';
import type { Savings, SavingsByDay } from '#use-cases/distillation/queries/savings.js';
import type { SavingsRecord } from './dto.js';

const totals = ({ calls, answered, audited, agreement, cost, costBefore, latencyMs, latencyBeforeMs }: Savings) => ({
  ...{ calls, answered, share: calls > 0 ? answered / calls : null, audited, agreement },
  ...{ cost: dollars(cost), cost_picodollars: cost.toString() },
  cost_before: costBefore === null ? null : dollars(costBefore),
  ...{ latency_ms: latencyMs, latency_ms_before: latencyBeforeMs },
});

export const savingsRecord = (model: string, { from, until, days, ...all }: SavingsByDay): SavingsRecord => ({
  ...{ model, from, until, ...totals(all) },
  days: days.map(({ day, ...each }) => ({ day, ...totals(each) })),
});
