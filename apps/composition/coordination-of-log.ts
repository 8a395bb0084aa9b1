import { v7 as uuid7 } from 'uuid';
import { lifetimeLeftOf, networksLifetimeOf } from '#application/accounts/index.js';
import { budgetLifetimeOf } from '#application/billing/index.js';
import { boundCoordination, coordinationBound, COORDINATION_STREAM } from '#log/bindings/bound-coordination.js';
import { ABSENT, type Coordination, type Entry } from '#ports/coordination/port.js';
import type { SignedCoordination } from '#ports/coordination/signed.js';
import { expectedAfter, WrongExpectedRevisionError, type EventStore } from '#ports/event-store/port.js';
import { StartRefusedError } from './start-refused.js';

/** The entry with the id of this coordination. */
const MARK = 'of-log:coordination';

interface CoordinationOfLogOptions {
  /** Continues with coordination as it is on a log that needs another. */
  readonly replace?: boolean;
  /** Accepts what is there without a valid HMAC: the secret was replaced. */
  readonly trust?: boolean;
}

/**
 * Verifies that coordination is the one that the log names, and binds a log that names none to it: entries that an earlier
 * release has left without an HMAC get theirs then.
 * @throws StartRefusedError when it is gone or another
 */
export async function requireCoordinationOfLog(
  store: EventStore,
  coordination: SignedCoordination,
  { replace = false, trust = false }: CoordinationOfLogOptions = {},
): Promise<void> {
  for (;;) {
    const { id: bound, revision } = await boundCoordination(store);
    if (bound === null || trust) await coordination.signAll(lifetimeOf);
    const own = await idOf(coordination);
    if (bound !== null && own === bound) return;
    if (bound !== null && !replace) throw new StartRefusedError(own === null ? IS_GONE : IS_ANOTHER);
    const id = own ?? uuid7();
    if (own === null && !(await coordination.compareAndSet(MARK, ABSENT, { id }))) continue;
    try {
      await store.append(COORDINATION_STREAM, expectedAfter(revision), [coordinationBound(id, bound)]);
      return;
    } catch (error) {
      // Another process has bound it since.
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

const lifetimeOf = (entry: Entry): number | undefined =>
  lifetimeLeftOf(entry) ?? networksLifetimeOf(entry.key) ?? budgetLifetimeOf(entry.key);

async function idOf(coordination: Coordination): Promise<string | null> {
  const entry = await coordination.get(MARK);
  return entry && (entry.value as { id: string }).id;
}

/** The operator's line on what ends forever with coordination. */
export const LOST_WITH_COORDINATION =
  'passwords, sessions and sign-in links, counts of limits, and API keys that were made under earlier secrets; other API keys, records, ' +
  'prices and models stay. The next start prints a sign-in link for the administrator';

const REPLACE =
  'If it is lost for good, npx anneal coordination replace goes on without it, after saying what ends with it';

const PLACE = 'coordination.db, or its MongoDB database';

const IS_GONE =
  `coordination (${PLACE}) is missing, was emptied or was changed by somebody else, and the event log was used with one; restore it from ` +
  `its backup. ${REPLACE}`;

const IS_ANOTHER = `coordination (${PLACE}) is not the one that this event log was used with; put its own there. ${REPLACE}`;
