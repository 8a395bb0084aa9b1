import type { Application } from '#application/application.js';
import {
  enterInLedger,
  loadEnforcement,
  setEnforcement,
  standingNow,
  type LedgerEntry,
} from '#application/billing/index.js';
import type { JsonObject } from '#domain/json.js';
import { CORRECTION_REASONS, type Standing } from '#domain/ledger/index.js';
import { allTeams } from '#application/accounts/index.js';
import { newestEntries } from '#projections/ledger/queries.js';
import { inDollars, picodollarsOf } from './dollars.js';
import { OperationError, type Operations } from './operation.js';
import { refusable, teamOf } from './teams.js';
import { operatorContext } from './operator-context.js';

/** Credits: `credits.show`, `.ledger`, `.add`, `.correct`, `.monthly`, `.ceiling`; `billing.enforce`, `billing.status`. */
export const creditOperations = (application: Application): Operations => {
  const enter = async (entry: LedgerEntry): Promise<JsonObject> => {
    const counts = await refusable(() => enterInLedger(application, entry, operatorContext(null)));
    return {
      ...(await standing(application, entry.teamId)),
      ...(!counts && { note: 'counts within seconds, once coordination answers' }),
    };
  };
  return {
    /** `{team?}`: default all teams */
    async *'credits.show'({ team }) {
      const teams = team === undefined ? await allTeams(application) : [await teamOf(application, team)];
      for (const { teamId } of teams) yield standing(application, teamId);
    },

    /** `{team?}`: newest first */
    async *'credits.ledger'({ team }) {
      const { teamId } = await teamOf(application, team);
      const entries = await newestEntries(application.ports.readStore, teamId);
      for (const { id, at, kind, amount, reason, inferenceId } of entries)
        yield { id, at, kind, dollars: amount === null ? null : inDollars(BigInt(amount)), reason, inferenceId };
    },

    /** `{dollars, team?}`: to the paid balance */
    async *'credits.add'({ dollars: amount, team }) {
      const { teamId } = await teamOf(application, team);
      yield enter({ type: 'top-up', teamId, amount: picodollarsOf(amount) });
    },

    /** `{dollars, reason, inferenceId?, team?}`: to the paid balance, or below zero from it */
    async *'credits.correct'({ dollars: amount, reason, inferenceId, team }) {
      const known = CORRECTION_REASONS.find((each) => each === reason);
      if (!known) throw new OperationError(`the reason must be one of ${CORRECTION_REASONS.join(', ')}`);
      const { teamId } = await teamOf(application, team);
      const about = typeof inferenceId === 'string' ? inferenceId : null;
      yield enter({ type: 'correct', teamId, amount: picodollarsOf(amount), reason: known, inferenceId: about });
    },

    /** `{dollars, team?}`: sets the credits included each month */
    async *'credits.monthly'({ dollars: amount, team }) {
      const { teamId } = await teamOf(application, team);
      yield enter({ type: 'set-monthly-credits', teamId, amount: picodollarsOf(amount) });
    },

    /** `{dollars, team?}`: the most that a month may draw from the paid balance; `none` */
    async *'credits.ceiling'({ dollars: amount, team }) {
      const { teamId } = await teamOf(application, team);
      const ceiling = amount === 'none' ? null : picodollarsOf(amount);
      yield enter({ type: 'set-overage-ceiling', teamId, amount: ceiling });
    },

    async *'billing.status'() {
      yield { ...(await loadEnforcement(application)) };
    },

    /** `{enforced, cardRequired?}` */
    async *'billing.enforce'({ enforced, cardRequired }) {
      const enforcement = { enforced: enforced === true, cardRequired: cardRequired === true };
      await refusable(() => setEnforcement(application, enforcement, operatorContext(null)));
      yield enforcement;
    },
  };
};

async function standing(application: Application, teamId: string): Promise<JsonObject> {
  const { name } = await teamOf(application, teamId);
  const { month, standing: now } = await standingNow(application, teamId);
  return { id: teamId, name, month, ...inFigures(now) };
}

const inFigures = ({ included, ceiling, used, overage, balance, available }: Standing): JsonObject => ({
  monthlyCredits: inDollars(included),
  overageCeiling: ceiling === null ? null : inDollars(ceiling),
  spent: inDollars(used),
  overage: inDollars(overage),
  paidBalance: inDollars(balance),
  available: inDollars(available),
});
