import { boundKeys, keysBound, KEYS_STREAM } from '#log/bindings/bound-keys.js';
import { expectedAfter, WrongExpectedRevisionError, type EventStore } from '#ports/event-store/port.js';
import { holdsSealed } from '#ports/event-store/sealing.js';
import type { ContentKeys } from '#ports/key-store/content-keys.js';
import { isMissing, type KeyStoreLocation } from '#ports/key-store/open.js';
import { KEYS_FILE } from '#ports/key-store/sqlite/keys-file.js';
import { StartRefusedError } from './start-refused.js';

/** The operator's line on what ends forever with the keys. */
export const LOST_WITH_KEYS =
  'what recorded calls said while contents were encrypted, the corrections of them, the rows of data sets and predictions that were stored ' +
  'meanwhile, and the e-mail addresses of people (they can be added again); records, prices, passwords and models stay';

interface KeysOfLogOptions {
  readonly location: KeyStoreLocation;
  /** Continues with the present key store, or a new one, on a log that needs another. */
  readonly replace?: boolean;
}

/**
 * Verifies that the key store is the one that the log was encrypted with, and binds a log that names none to it.
 * @throws StartRefusedError when the keys are missing or belong to another log
 */
export async function requireKeysOfLog(
  store: EventStore,
  keys: ContentKeys,
  { location, replace = false }: KeysOfLogOptions,
): Promise<void> {
  for (;;) {
    const { keyStore: bound, revision } = await boundKeys(store);
    // Opening creates a store, and a missing one must stay missing.
    const own = isMissing(location) ? null : await keys.storeId();
    if (bound !== null && own === bound) return;
    if (!replace) {
      if (own !== null && bound !== null) throw new StartRefusedError(areOthers(location));
      if (own === null && (bound !== null || (await areGone(store, keys, location))))
        throw new StartRefusedError(areMissing(location));
    }
    try {
      await store.append(KEYS_STREAM, expectedAfter(revision), [keysBound(await keys.identify(), bound)]);
      return;
    } catch (error) {
      // Another process has bound it since.
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

/** Whether a log that names no key store was encrypted with keys that no longer exist. */
async function areGone(store: EventStore, keys: ContentKeys, location: KeyStoreLocation): Promise<boolean> {
  if (!isMissing(location) && (await keys.hasKeys())) return false;
  return holdsSealed(store);
}

const REPLACE =
  'If they are lost for good, npx anneal content-keys replace goes on without them, after saying what ends with them';

const placeOf = (location: KeyStoreLocation): string =>
  location.adapter === 'sqlite'
    ? `${KEYS_FILE} in ${location.directory}`
    : 'the collection coordination_content_keys of its MongoDB database';

const areMissing = (location: KeyStoreLocation): string =>
  `the keys of contents are missing, and the event log was encrypted with them; put ${placeOf(location)} back from the copy of the ` +
  `keys, which is apart from the log's backup. ${REPLACE}`;

const areOthers = (location: KeyStoreLocation): string =>
  `the keys of contents (${placeOf(location)}) are not those that this event log was encrypted with; put its own there. ${REPLACE}`;
