import { v7 as uuid7 } from 'uuid';
import { LOG_SECRET_BOUND, type LogEvent } from '#domain/log/events.js';
import { streamName } from '#domain/streams.js';
import { LOG_CREATED, type LogFacts } from '#ports/event-store/log-created.js';
import {
  expectedAfter,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
} from '#ports/event-store/port.js';
import {
  decodeSecret,
  decodeSecretAsCharacters,
  SECRET_FILE,
  secretFile,
  type GivenSecret,
  type SecretKey,
} from '#primitives/secrets/index.js';
import { StartRefusedError } from './start-refused.js';

const STREAM = streamName('log', 'secret');

/** The operator's line on what ends for ever with a secret. */
export const LOST_WITH_SECRET =
  'all API keys, sessions and sign-in links, signed upload addresses, signing secrets of webhooks, and tokens kept for hub transfers; ' +
  'passwords, data sets, models and records stay';

interface SecretOfLogOptions {
  /** The data folder. */
  readonly dataDir: string;
  /** Continues with the given secret on a log made with another one. */
  readonly replace?: boolean;
}

/**
 * The given secret, read as this log knows it. A log of an earlier release, which names none, is bound to it here.
 * @throws StartRefusedError when the log was made with another one
 */
export async function secretOfLog(
  store: EventStore,
  given: GivenSecret,
  { dataDir, replace = false }: SecretOfLogOptions,
): Promise<SecretKey> {
  for (;;) {
    const { fingerprint, revision } = await boundSecret(store);
    const readings = readingsOf(given, dataDir);
    const [first] = readings;
    const known = fingerprint === null ? first : readings.find((secret) => secret.fingerprint === fingerprint);
    if (known && fingerprint !== null) return known;
    if (!known && !replace) throw new StartRefusedError(isAnother(given, dataDir));
    const secret = known ?? decodeSecret(given.text);
    try {
      await store.append(STREAM, expectedAfter(revision), [bound(secret.fingerprint, fingerprint)]);
      return secret;
    } catch (error) {
      // Another process has bound it since.
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

/** The fingerprint that the log names; null where it names none. */
export async function boundSecret(store: EventStore): Promise<{ fingerprint: string | null; revision: number }> {
  try {
    for await (const event of store.readStream(STREAM, { direction: 'backwards', limit: 1 }))
      return { fingerprint: (event.data as LogEvent['data']).fingerprint, revision: event.revision };
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  for await (const { data } of store.readAll({ filter: { types: [LOG_CREATED] }, limit: 1 }))
    return { fingerprint: (data as LogFacts).secretFingerprint ?? null, revision: -1 };
  return { fingerprint: null, revision: -1 };
}

/**
 * The ways in which a text has been read. Earlier releases took 64 digits in ANNEAL_SECRET_KEY for characters: a log that
 * names no secret was made so, unless the same digits are in the folder's file.
 */
function readingsOf({ text, from }: GivenSecret, dataDir: string): readonly SecretKey[] {
  const readings = [decodeSecret(text), decodeSecretAsCharacters(text)];
  return from === SECRET_FILE || secretFile(dataDir) === text ? readings : readings.toReversed();
}

function bound(fingerprint: string, replaced: string | null): EventToAppend {
  const commandId = uuid7();
  const boundAt = new Date().toISOString();
  return {
    id: commandId,
    type: LOG_SECRET_BOUND,
    data: { fingerprint, replaced, boundAt },
    metadata: {
      workspaceId: null,
      actor: 'system:secret',
      correlationId: commandId,
      causationId: commandId,
      commandId,
      occurredAt: boundAt,
    },
  };
}

const REPLACE =
  'If that is lost for good, npx anneal secret replace goes on without it, after saying what ends with it';

const isAnother = ({ from }: GivenSecret, dataDir: string): string =>
  from === SECRET_FILE
    ? `${SECRET_FILE} in ${dataDir} is not the secret that this event log was made with; restore the one from the ` +
      `log's backup, or set ANNEAL_SECRET_KEY to what it held. ${REPLACE}`
    : `ANNEAL_SECRET_KEY is not the secret that this event log was made with; set that one (the content of ` +
      `${SECRET_FILE}, where the log was made without the setting). ${REPLACE}`;

/** @returns why a system whose secret is gone does not start */
export const secretIsGone = (dataDir: string): string =>
  `${SECRET_FILE} is missing from ${dataDir}, and the event log was made with one; put it back from the backup, or set ` +
  `ANNEAL_SECRET_KEY to what it held. ${REPLACE}`;
