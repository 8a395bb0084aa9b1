import { setTimeout as sleep } from 'node:timers/promises';
import { allTeams } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import {
  billsOf,
  compareHeld,
  creditsOf,
  heldBudget,
  loadLedger,
  type Days,
  type BillsOfTeam,
} from '#application/billing/index.js';
import { allTokens } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { Team } from '#domain/team/index.js';
import { chargesId } from '#projections/charges/projection.js';
import { apiKeyDocuments } from '#projections/api-keys/queries.js';
import { chargesDocuments, chargesOf } from '#projections/charges/queries.js';
import { usageDocuments, usageOf } from '#projections/usage/queries.js';
import { collectionNameOf } from '#log/projector/collection.js';
import type { Projections } from '#log/projector/thread/start.js';
import { inDollars } from './dollars.js';
import { OperationError, type Operations } from './operation.js';
import { teamOf } from './teams.js';

/** Two figures of one bill that differ: amounts in dollars (`$0.0000021`), or counts. */
interface BillDifference extends JsonObject {
  readonly kind: 'difference';
  readonly team: string;
  readonly what: string;
  readonly byLog: string;
  readonly found: string;
}

const TRIES = 5;
const PAUSE_MS = 500;

/** `rebill`: `{team?}`: a `difference` frame for each, then a `bill` frame for each team. */
export const rebillOperations = (application: Application, host: Pick<Projections, 'status'>): Operations => ({
  async *rebill({ team }: JsonObject, signal: AbortSignal): AsyncIterable<Json> {
    const teams = team === undefined ? await allTeams(application) : [await teamOf(application, team)];
    await caughtUp(application, host, signal);
    let found = await compare(application, teams);
    // While calls are made, read models and coordination run a little behind or ahead of the part of the log that was
    // read.
    for (let attempt = 1; attempt < TRIES && found.differences.length > 0 && !signal.aborted; attempt += 1) {
      await sleep(PAUSE_MS);
      found = await compare(application, teams);
    }
    yield* found.differences;
    for (const { teamId, name } of teams) {
      const { requestCount, cost } = found.bills.team(teamId);
      const differences = found.differences.filter((each) => each.team === teamId).length;
      yield { kind: 'bill', team: teamId, name, calls: requestCount, dollars: inDollars(cost), differences };
    }
  },
});

const COMPARED: readonly string[] = [usageDocuments, apiKeyDocuments, chargesDocuments].map(
  ({ collection }) => collection,
);

/** Waits until the read models have seen every call that is on the log now. @throws OperationError if one has stopped */
async function caughtUp({ ports }: Application, host: Pick<Projections, 'status'>, signal: AbortSignal): Promise<void> {
  const newest = ports.eventStore.readAll({ direction: 'backwards', filter: { types: ['call-metered.v1'] }, limit: 1 });
  const [last] = await Array.fromAsync(newest);
  while (last && !signal.aborted) {
    const compared = (await host.status()).filter((status) => COMPARED.includes(collectionNameOf(status)));
    for (const { name, state, parked } of compared)
      if (state === 'stopped' || parked > 0)
        throw new OperationError(`the read model ${name} is incomplete; see: anneal projections status`);
    const behind = compared.filter(({ state, position }) => state !== 'live' || (position ?? '') < last.position);
    if (compared.length === COMPARED.length && behind.length === 0) return;
    await sleep(PAUSE_MS);
  }
}

/** Every bill, computed again from the calls on the log, against all that is shown and held. */
async function compare(application: Application, teams: readonly Team[]) {
  const bills = await billsOf(application.storedEvents);
  const differences: BillDifference[] = [];
  for (const { teamId } of teams) {
    const differ = (what: string, byLog: unknown, found: unknown) => {
      if (String(byLog) === String(found)) return;
      const isAmount = typeof byLog === 'bigint' || typeof found === 'bigint';
      const [log, other] = [byLog, found].map((figure) => (isAmount ? amountText(figure) : String(figure)));
      differences.push({ kind: 'difference', team: teamId, what, byLog: log!, found: other! });
    };
    const { named, more } = bills.miscalculated(teamId);
    for (const { inferenceId, cost, recorded } of named) differ(`call ${inferenceId}`, cost, recorded);
    differ('further calls whose cost is another', 0, more);
    await compareUsage(application, bills, teamId, differ);
    await compareKeys(application, bills, teamId, differ);
    await compareCharges(application, bills, teamId, differ);
    const ledger = await loadLedger(application, teamId, new Date().toISOString());
    const held = await creditsOf(application).read(teamId);
    if (held) compareHeld(held, ledger, bills.charges(teamId), differ);
  }
  return { bills, differences };
}

/** @param picodollars null: no limit */
const amountText = (picodollars: unknown): string =>
  picodollars === null ? 'none' : `$${inDollars(BigInt(picodollars as bigint | string | number))}`;

/** Amounts are given as picodollars, at least one of the two as a bigint. */
type Differ = (what: string, byLog: unknown, found: unknown) => void;

async function compareUsage(
  application: Application,
  bills: BillsOfTeam,
  teamId: string,
  differ: Differ,
): Promise<void> {
  const documents = await usageOf(application.ports.readStore, teamId);
  const byLog = bills.usage(teamId);
  const ids = new Set([...byLog.keys(), ...documents.map(({ id }) => id)]);
  const byId = new Map(documents.map((document) => [document.id, document]));
  for (const id of ids) {
    differ(`usage ${id}, cost`, byLog.get(id)?.cost ?? 0n, byId.get(id)?.cost ?? 0);
    differ(`usage ${id}, calls`, byLog.get(id)?.requestCount ?? 0, byId.get(id)?.requestCount ?? 0);
    differ(`usage ${id}, tokens`, byLog.get(id)?.tokens ?? 0, allTokens(byId.get(id) ?? {}));
  }
}

async function compareKeys(
  application: Application,
  bills: BillsOfTeam,
  teamId: string,
  differ: Differ,
): Promise<void> {
  for (const [keyId, { cost, requestCount, tokens }] of bills.keys(teamId)) {
    const key = await apiKeyDocuments.get(application.ports.readStore, keyId);
    differ(`API key ${keyId}, cost`, cost, key?.usageCost ?? 0);
    differ(`API key ${keyId}, calls`, requestCount, key?.requestCount ?? 0);
    differ(`API key ${keyId}, tokens`, tokens, key?.usageTokens ?? 0);
    const budget = key?.limits && (await heldBudget(application, keyId, key.limits));
    if (!budget) continue;
    const { days, used, isSettled } = budget;
    const spent = days === null ? cost : costIn(bills.usage(teamId), keyId, days);
    if (spent > used || isSettled) differ(`API key ${keyId}, used of its budget`, spent, used);
  }
}

/** The cost of a key's calls on some days, in picodollars. */
const costIn = (usage: ReturnType<BillsOfTeam['usage']>, keyId: string, { from, to }: Days): bigint =>
  [...usage].reduce((sum, [id, { cost }]) => {
    const [, day = '', key] = id.split('/');
    return key === keyId && day >= from && day <= to ? sum + cost : sum;
  }, 0n);

async function compareCharges(
  application: Application,
  bills: BillsOfTeam,
  teamId: string,
  differ: Differ,
): Promise<void> {
  const documents = await chargesOf(application.ports.readStore, teamId);
  const found = new Map(documents.map(({ id, cost }) => [id, cost]));
  for (const { month, holder, cost } of bills.charges(teamId)) {
    const id = chargesId(teamId, month, holder);
    differ(`charges ${id}`, cost, found.get(id) ?? 0);
    found.delete(id);
  }
  // Charges that no credits paid for, and charges unknown to the log.
  for (const [id, cost] of found) if (!id.endsWith('/-')) differ(`charges ${id}`, 0n, cost);
}
