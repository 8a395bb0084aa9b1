import { boundSecret, secretBound, SECRET_STREAM } from '#log/bindings/bound-secret.js';
import { earlierKeys } from '#application/secret-rotation.js';
import type { Coordination } from '#ports/coordination/port.js';
import { expectedAfter, WrongExpectedRevisionError, type EventStore } from '#ports/event-store/port.js';
import { decodeSecret, SECRET_FILE, type GivenSecret, type SecretKey } from '#primitives/secrets/index.js';
import { StartRefusedError } from './start-refused.js';

/** The operator's line on what ends forever with a secret. */
export const LOST_WITH_SECRET =
  'all API keys, sessions and sign-in links, signed upload addresses, signing secrets of webhooks, tokens kept for hub transfers, and, as ' +
  'their keys are wrapped by it, what recorded calls said and rows of data sets while they were encrypted, and the e-mail addresses of people; ' +
  'passwords, models, and records with their prices stay';

interface SecretOfLogOptions {
  /** The data folder. */
  readonly dataDir: string;
  /** Continues with the given secret on a log made with another one. */
  readonly replace?: boolean;
  /** The secret before, while both are given. */
  readonly previous?: GivenSecret | null;
}

/** The sources of a system's present and previous secret. */
interface LogWithSecret {
  readonly eventStore: EventStore;
  readonly coordination: Coordination;
}

/**
 * The given secret, with the earlier ones whose keys it accepts. A log that names none is bound to it here.
 * @throws StartRefusedError when the log was made with another one
 */
export async function secretOfLog(
  { eventStore, coordination }: LogWithSecret,
  given: GivenSecret,
  options: SecretOfLogOptions,
): Promise<SecretKey> {
  const secret = await ownSecret(eventStore, given, options);
  return secret.accepting(secret.previous, await earlierKeys(coordination, secret));
}

async function ownSecret(
  store: EventStore,
  given: GivenSecret,
  { dataDir, replace = false, previous = null }: SecretOfLogOptions,
): Promise<SecretKey> {
  const secret = decodeSecret(given.text);
  const before = previous && decodeSecret(previous.text);
  for (;;) {
    const { fingerprint, revision } = await boundSecret(store);
    if (fingerprint === secret.fingerprint)
      return secret.accepting(before?.fingerprint === fingerprint ? null : before);
    // The log is bound to the new secret once nothing depends on the one before (`bindTo`).
    if (before && fingerprint === before.fingerprint) return secret.accepting(before);
    if (fingerprint !== null && !replace) throw new StartRefusedError(isAnother(given, dataDir));
    try {
      await store.append(SECRET_STREAM, expectedAfter(revision), [secretBound(secret.fingerprint, fingerprint)]);
      return secret;
    } catch (error) {
      // Another process has bound it since.
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

const REPLACE =
  'If that is lost for good, npx anneal secret replace goes on without it, after saying what ends with it';

const isAnother = ({ from }: GivenSecret, dataDir: string): string =>
  from === SECRET_FILE
    ? `${SECRET_FILE} in ${dataDir} is not the secret that this event log was made with; restore the one from the ` +
      `log's backup, or set ANNEAL_SECRET_KEY to what it held. ${REPLACE}`
    : `ANNEAL_SECRET_KEY is not the secret that this event log was made with; set that one (the content of ` +
      `${SECRET_FILE}, where the log was made without the setting). ${REPLACE}`;

/** @returns why a system whose secret was lost does not start */
export const secretIsGone = (dataDir: string): string =>
  `${SECRET_FILE} is missing from ${dataDir}, and the event log was made with one; put it back from the backup, or set ` +
  `ANNEAL_SECRET_KEY to what it held. ${REPLACE}`;
