import { allTokens, cost as costOf, type CallMetered } from '#domain/inference/index.js';
import { overageOf, type Ledger } from '#domain/ledger/index.js';
import type { EventReader } from '#ports/event-store/port.js';
import { chargeOf, type Charge } from './credits-log.js';
import type { HeldCredits } from './held-credits.js';

/** Calls added up. */
interface Sum {
  readonly requestCount: number;
  readonly tokens: number;
  /** Picodollars: usage times the price in force at each call, recomputed. */
  readonly cost: bigint;
}

/** A call whose recorded cost differs from its usage and price. */
interface Miscalculated {
  readonly inferenceId: string;
  readonly cost: bigint;
  readonly recorded: bigint;
}

/** Maximum number of calls of a team that are named; further ones are counted. */
const MAX_NAMED = 1_000;

/** Bills of all teams, computed from the calls on the log alone. */
export interface BillsOfTeam {
  team(teamId: string): Sum;
  /** Keyed by workspace, day, key and model: `<workspace>/<day>/<key or ->/<model>`. */
  usage(teamId: string): ReadonlyMap<string, Sum>;
  keys(teamId: string): ReadonlyMap<string, Sum>;
  /** The sum that each allotment paid. */
  charges(teamId: string): readonly Charge[];
  miscalculated(teamId: string): { readonly named: readonly Miscalculated[]; readonly more: number };
}

const NOTHING: Sum = { requestCount: 0, tokens: 0, cost: 0n };

/** Reads every call of the log. @param eventStore as stored: contents are not decrypted */
export async function billsOf(eventStore: EventReader): Promise<BillsOfTeam> {
  const teams = new Map<string, TeamBill>();
  for await (const event of eventStore.readAll({ filter: { types: ['call-metered.v1'] } })) {
    const call = (event as unknown as CallMetered).data;
    let bill = teams.get(call.teamId);
    if (!bill) teams.set(call.teamId, (bill = new TeamBill()));
    bill.add(call);
  }
  const none = new TeamBill();
  const of = (teamId: string) => teams.get(teamId) ?? none;
  return {
    team: (teamId) => of(teamId).all,
    usage: (teamId) => of(teamId).usage,
    keys: (teamId) => of(teamId).keys,
    charges: (teamId) => [...of(teamId).charges.values()],
    miscalculated: (teamId) => of(teamId).miscalculated,
  };
}

class TeamBill {
  all = NOTHING;
  readonly usage = new Map<string, Sum>();
  readonly keys = new Map<string, Sum>();
  readonly charges = new Map<string, Charge>();
  readonly miscalculated = { named: [] as Miscalculated[], more: 0 };

  add(call: CallMetered['data']): void {
    const { inferenceId, workspaceId, keyId, price } = call;
    const cost = costOf(call, price);
    const recorded = BigInt(call.costPicodollars);
    if (cost !== recorded) this.addMiscalculated({ inferenceId, cost, recorded });
    const tokens = allTokens(call);
    const withCall = (sum = NOTHING): Sum => ({
      requestCount: sum.requestCount + 1,
      tokens: sum.tokens + tokens,
      cost: sum.cost + cost,
    });
    this.all = withCall(this.all);
    const usageId = `${workspaceId}/${call.at.slice(0, 10)}/${keyId ?? '-'}/${call.trainingJobId ?? call.baseModel}`;
    this.usage.set(usageId, withCall(this.usage.get(usageId)));
    if (keyId !== null) this.keys.set(keyId, withCall(this.keys.get(keyId)));
    const charge = chargeOf(call);
    if (!charge) return;
    const before = this.charges.get(call.chargedTo!)?.cost ?? 0n;
    this.charges.set(call.chargedTo!, { ...charge, cost: before + cost });
  }

  private addMiscalculated(call: Miscalculated): void {
    if (this.miscalculated.named.length < MAX_NAMED) this.miscalculated.named.push(call);
    else this.miscalculated.more += 1;
  }
}

/**
 * Compares a team's credits in coordination with its ledger and its calls. More may have been spent from an open
 * allotment than was reported, never more than was taken.
 * @param differ called with each pair of figures that should be equal
 */
export function compareHeld(
  held: HeldCredits,
  ledger: Ledger,
  charges: readonly Charge[],
  differ: (what: string, byLog: unknown, found: unknown) => void,
): void {
  differ('paid in', ledger.paidIn, held.paidIn);
  const [oldest] = held.months;
  const earlier = new Map<string, bigint>();
  for (const { month, cost } of charges)
    if (!oldest || month < oldest.month) earlier.set(month, (earlier.get(month) ?? 0n) + cost);
  const earlierOverage = [...earlier].reduce((sum, [month, cost]) => sum + overageOf(ledger.termsIn(month), cost), 0n);
  differ('overage of earlier months', earlierOverage, held.earlierOverage);
  for (const { month, included, ceiling, settled, allotments } of held.months) {
    const terms = ledger.termsIn(month);
    differ(`${month}, monthly credits`, terms.included, included);
    differ(`${month}, ceiling`, terms.ceiling, ceiling);
    const ofMonth = charges.filter((charge) => charge.month === month);
    const closed = ofMonth.filter(({ holder }) => !(holder in allotments)).reduce((sum, { cost }) => sum + cost, 0n);
    differ(`${month}, settled`, closed, settled);
    for (const { holder, cost } of ofMonth) {
      const allotment = allotments[holder];
      if (allotment && cost > allotment.taken) differ(`${month}, allotment ${holder}`, cost, allotment.taken);
    }
  }
}
