import { recordAccepted, wasSealed } from '#log/bindings/accepted-end.js';
import type { EventLogLocation } from '#ports/event-store/open.js';
import { WrongExpectedRevisionError, type EventStore } from '#ports/event-store/port.js';
import { wrongSeal, type SealState } from '#ports/event-store/seal.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { StartRefusedError } from './start-refused.js';

/** An operator's word that the end of the log counts as it is. */
export interface AcceptedEnd {
  /** The user of the operating system. */
  readonly by: string;
  readonly reason: string;
}

interface SealOfLogOptions {
  readonly accepted?: AcceptedEnd | null;
  /** The log goes over to another secret, whose seal the end cannot have. */
  readonly isSecretReplaced?: boolean;
}

/**
 * Verifies that nobody else has written the end of the log while no system ran on it, and seals each commit from here on.
 * @throws StartRefusedError naming what was appended, or saying what is missing
 */
export async function requireSealed(
  store: EventStore,
  secret: SecretKey,
  { accepted = null, isSecretReplaced = false }: SealOfLogOptions = {},
): Promise<void> {
  if (!store.seal) return;
  const keys = secret.keys('log-seal');
  const { seal } = store;
  const given = { accepted, isSecretReplaced };
  // Of processes that start at once, one records what is accepted.
  for (let left = TRIES; ; left -= 1)
    try {
      const asked = await seal.inspect(keys);
      const isNew = asked.kind === 'none' && (await hasOneEvent(store));
      // Another process that starts on a new log may write its second event at any time, which has its seal.
      const state = asked.kind === 'none' ? await seal.inspect(keys) : asked;
      await requireAccepted(store, state, { ...given, isNew });
      return await seal.begin(keys);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError) || left === 0) throw error;
    }
}

const TRIES = 5;

/** @throws StartRefusedError */
async function requireAccepted(
  store: EventStore,
  state: SealState,
  given: Required<SealOfLogOptions> & { readonly isNew: boolean },
): Promise<void> {
  if (state.kind === 'whole') {
    if (given.accepted)
      throw new StartRefusedError('the event log ends as this installation wrote it: there is nothing to accept');
  } else {
    const because = await reasonFor(store, state, given);
    if (because === null) throw new StartRefusedError(refusalOf(state));
    const isNamed = state.kind === 'longer';
    const [from, events] = isNamed ? [state.events[0]!.position, state.count] : [null, null];
    if (because !== NEW) await recordAccepted(store, { from, events, ...because });
  }
}

/** The place of a log for threads that read it, which see only events of this installation. */
export const sealedLog = (location: EventLogLocation, secret: SecretKey): EventLogLocation =>
  location.adapter === 'eventstoredb' ? { ...location, sealKeys: secret.keys('log-seal') } : location;

const NEW = 'new';

/** Why an end without a whole seal counts all the same; null if it does not. */
async function reasonFor(
  store: EventStore,
  { kind }: SealState,
  { accepted, isSecretReplaced, isNew }: Parameters<typeof requireAccepted>[2],
): Promise<typeof NEW | { readonly by: string | null; readonly reason: string } | null> {
  if (accepted) return accepted;
  if (isSecretReplaced && kind === 'other-key') return { by: null, reason: 'the secret was replaced' };
  if (kind !== 'none') return null;
  if (!(await wasSealed(store))) return { by: null, reason: 'the log is older than its seal' };
  return isNew ? NEW : null;
}

/** A new log is sealed right after its first event. */
const hasOneEvent = async (store: EventStore): Promise<boolean> =>
  (await Array.fromAsync(store.readAll({ limit: 2 }))).length < 2;

const ACCEPT =
  'Restore log.db from its backup; or, once you know where they come from, run npx anneal audit accept --reason "...", which ' +
  'records who accepts them';

/** @returns in one line, what is wrong with the end of the log and the mend */
export const refusalOf = (state: Exclude<SealState, { readonly kind: 'whole' }>): string =>
  `${wrongSeal(state)}. ${ACCEPT}`;
