import { overageOf, standingOf, type Ledger, type Standing } from '#domain/ledger/index.js';

/** A team's standing in a month, from its ledger and the cost of its calls in each month until then. */
export function standingFrom(ledger: Ledger, spent: ReadonlyMap<string, bigint>, month: string): Standing {
  let paidBefore = ledger.paidIn;
  for (const [of, cost] of spent) if (of < month) paidBefore -= overageOf(ledger.termsIn(of), cost);
  return standingOf(ledger.termsIn(month), paidBefore, spent.get(month) ?? 0n);
}
