import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NoteError, parseVerifier, type Verifier } from '#audit/checkpoint.js';
import type { Finding } from '#audit/comparison.js';
import { storedPages } from '#audit/stored-pages.js';
import { verifyLog, type VerifyOptions } from '#audit/verify.js';
import type { Json } from '#domain/json.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import { streamName } from '#domain/streams.js';
import { openStoredEvents, type EventLogLocation } from '#ports/event-store/open.js';
import { StreamNotFoundError, type EventReader } from '#ports/event-store/port.js';
import { readStoredRows } from '#ports/event-store/sqlite/index.js';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import { OperationError } from './operation.js';

export interface AuditVerification {
  readonly eventStore: EventLogLocation;
  readonly objectStore: ObjectStoreAddress;
  /** Public keys; by default those that the log itself names. */
  readonly keys: readonly string[];
  /** Files with checkpoints that were kept elsewhere. */
  readonly checkpoints: readonly string[];
}

const MAX_FINDINGS = 1_000;

/**
 * Verifies a log, its tree and its objects. Needs no running system, and disturbs none. Yields findings, and last
 * `{verified, problems, size, same, erased, uncovered, objects, trusted}`: `trusted` says whether the keys were given.
 */
export async function* verifyAudit({
  eventStore,
  objectStore,
  keys,
  checkpoints,
}: AuditVerification): AsyncGenerator<Json> {
  if (eventStore.adapter === 'sqlite' && !existsSync(join(eventStore.directory, 'log.db')))
    throw new OperationError(`${eventStore.directory} holds no log: name a data folder, or a copy of one`);
  const log = await openStoredEvents(eventStore);
  const objects = await openObjectStore(objectStore);
  try {
    const findings: Finding[] = [];
    let problems = 0;
    const verified = await verifyLog({
      events: eventsOf(eventStore, log),
      objects,
      verifiers: await verifiersOf(log, keys),
      earlier: await Promise.all(checkpoints.map((file) => readCheckpoint(file))),
      onFinding(finding) {
        problems += 1;
        if (findings.length < MAX_FINDINGS) findings.push(finding);
      },
    });
    yield* findings;
    yield { verified: problems === 0, problems, ...verified, trusted: keys.length > 0 };
  } finally {
    await Promise.all([log.close(), objects.close()]);
  }
}

const eventsOf = (eventStore: EventLogLocation, log: EventReader): VerifyOptions['events'] =>
  eventStore.adapter === 'sqlite' ? readStoredRows(eventStore.directory) : storedPages(log, null);

async function verifiersOf(log: EventReader, keys: readonly string[]): Promise<readonly Verifier[]> {
  try {
    if (keys.length > 0) return keys.map(parseVerifier);
    const stream = streamName(auditKeyDecider.category, AUDIT_KEYS);
    const made = await Array.fromAsync(log.readStream(stream));
    return made.map(({ data }) => parseVerifier(data['verifier'] as string));
  } catch (error) {
    if (error instanceof NoteError) throw new OperationError(error.message);
    if (error instanceof StreamNotFoundError) return [];
    throw error;
  }
}

async function readCheckpoint(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new OperationError(`the checkpoint ${file} cannot be read: ${(error as Error).message}`);
  }
}
