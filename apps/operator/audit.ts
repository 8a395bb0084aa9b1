import { existsSync, createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { ContentAccess } from '#audit/calls.js';
import {
  COSIGNATURE,
  NoteError,
  formatVerifier,
  parseVerifier,
  parseVerifiers,
  readCheckpoint as readNote,
  type Verifier,
} from '#audit/checkpoint.js';
import type { Finding } from '#audit/finding.js';
import { exportLines, type Exported, type ExportScope } from '#audit/export.js';
import { openKeeper, type CheckpointPlace, type KeptCheckpoints } from '#audit/kept-checkpoints.js';
import { reveal, sealedIn } from '#audit/revealed.js';
import { isTable, linesOfTable } from '#audit/export-table.js';
import { storedPages } from '#audit/stored-pages.js';
import { TreeDamagedError, TreeFiles } from '#audit/tree-files.js';
import { verifyExport, type VerifiedExport } from '#audit/verify-export.js';
import { verifyLog, type Verified, type VerifyOptions } from '#audit/verify.js';
import { problemOf } from '#audit/witnesses.js';
import type { Json, JsonObject } from '#domain/json.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import { streamName } from '#domain/streams.js';
import { wasSealed } from '#log/bindings/accepted-end.js';
import { boundSecret } from '#log/bindings/bound-secret.js';
import type { StoredEvent } from '#ports/event-store/stored-event.js';
import { ArchiveReader, withArchived } from '#ports/event-store/archive/index.js';
import { openEventStoreDbReader } from '#ports/event-store/eventstoredb/index.js';
import { wrongSeal, type SealState } from '#ports/event-store/seal.js';
import { openStoredEvents, type EventLogLocation } from '#ports/event-store/open.js';
import { StreamNotFoundError, type EventMetadata, LogDamagedError, type EventReader } from '#ports/event-store/port.js';
import { inspectStoredSeal, LogUnusableError, readStoredRows } from '#ports/event-store/sqlite/index.js';
import { ContentKeys } from '#ports/key-store/content-keys.js';
import { isMissing, type KeyStoreLocation } from '#ports/key-store/open.js';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { openEgress } from '#primitives/egress/index.js';
import { isInside } from '#primitives/files/inside.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { OperationError } from './operation.js';

export interface AuditVerification {
  readonly eventStore: EventLogLocation;
  readonly objectStore: ObjectStoreAddress;
  /** Public keys; by default those that the log itself names. */
  readonly keys: readonly string[];
  /** Public keys of witnesses that must have cosigned. */
  readonly witnesses?: readonly string[];
  /** Files with checkpoints that were kept elsewhere. */
  readonly checkpoints: readonly string[];
  /** Where checkpoints are copied; default: nowhere. */
  readonly kept?: CheckpointPlace | null;
  /** Origins that `kept` may have although they are private or lack TLS. */
  readonly trustedOrigins?: readonly string[];
  /** File with certificates of time-stamp authorities, in PEM; default: none is trusted. */
  readonly authorities?: string | null;
  /** The installation's secret, and where the keys of contents are; default: contents are not compared with their calls. */
  readonly contents?: (Pick<ContentAccess, 'secret' | 'earlier'> & { readonly keys: KeyStoreLocation }) | null;
}

const MAX_FINDINGS = 1_000;
/** For a list of all that was kept. */
const KEPT_MS = 10 * 60_000;

/**
 * Verifies a log, its tree and its objects. Works with or without a running system. Yields findings, and last
 * `{verified, problems, size, same, erased, uncovered, objects, restarts, begunAfter, vouched, kept, stamped, calls, contents, contentsUnchecked,
 * cutOff, isOtherSecret, isSealed, trusted}`: `trusted` says whether a checkpoint that was kept, or a witness, vouches for events (`vouched`).
 */
export async function* verifyAudit({
  eventStore,
  objectStore,
  keys,
  checkpoints,
  contents = null,
  witnesses = [],
  kept: place = null,
  trustedOrigins = [],
  authorities = null,
}: AuditVerification): AsyncGenerator<Json> {
  requireLog(eventStore);
  const log = await openStoredEvents(eventStore).catch(nullIfUnusable);
  const objects = await openObjectStore(objectStore);
  const archive = new ArchiveReader(objectStore);
  const contentKeys = contents && openContentKeys(contents);
  try {
    const found = new Findings();
    const verified = await verifyLog({
      events: eventsOf(eventStore, log, archive, found.unarchived()),
      objects,
      verifiers: await verifiersOf(log, keys),
      witnesses: witnessesFrom(witnesses),
      earlier: await Promise.all(checkpoints.map((file) => readOutside(file, eventStore))),
      kept: place && (await keptOf(objects, place, trustedOrigins)),
      authorities: authorities === null ? [] : await readCertificates(authorities),
      contents: contents && { ...contents, keys: contentKeys },
      onFinding: found.add,
    });
    const isSealed = await compareSeal(eventStore, log, contents?.secret ?? null, found.add);
    yield* found.frames({ ...verified, isSealed }, verified.vouched > 0);
  } finally {
    await Promise.all([log?.close(), objects.close(), archive.close(), contentKeys?.close()]);
  }
}

/**
 * Compares the end of a log with its seal, which needs the secret.
 * @returns null if it cannot be compared: without the log's own secret, or of a log that has none
 */
async function compareSeal(
  eventStore: EventLogLocation,
  log: EventReader | null,
  secret: SecretKey | null,
  onFinding: (finding: Finding) => void,
): Promise<boolean | null> {
  if (log === null || secret === null) return null;
  try {
    if ((await boundSecret(log)).fingerprint !== secret.fingerprint) return null;
    const state = await storedSeal(eventStore, secret.keys('log-seal'));
    if (state.kind === 'whole') return true;
    if (state.kind === 'none' && !(await wasSealed(log))) return null;
    if (state.kind === 'longer')
      for (const { position, type, stream, revision } of state.events)
        onFinding({ problem: 'unsealed', position, what: `${type} in ${stream}, revision ${revision}` });
    else onFinding({ problem: 'unsealed', position: null, what: wrongSeal(state) });
    return false;
  } catch (error) {
    // The comparison has found what is damaged.
    if (error instanceof LogDamagedError || error instanceof LogUnusableError) return null;
    throw error;
  }
}

async function storedSeal(eventStore: EventLogLocation, keys: readonly Uint8Array[]): Promise<SealState> {
  if (eventStore.adapter === 'sqlite') return inspectStoredSeal(eventStore.directory, keys);
  const log = openEventStoreDbReader(eventStore);
  try {
    return await log.inspectSeal(keys);
  } finally {
    await log.close();
  }
}

/** The rows of a log that cannot be opened are read all the same: that says what is damaged. */
function nullIfUnusable(error: unknown): null {
  if (error instanceof LogUnusableError) return null;
  throw error;
}

/**
 * Verifies an export with public keys alone, by default those that it names. Yields findings, and last `{verified,
 * problems, size, events, proven, withheld, unproven, unchecked, trusted}`: `unchecked` names what an export cannot
 * prove, and `trusted` says whether a witness vouches for the log.
 */
export async function* verifyExportFile(
  file: string,
  keys: readonly string[],
  witnesses: readonly string[] = [],
): AsyncGenerator<Json> {
  const found = new Findings();
  const verified = await verifyExport({
    lines: await exportedLines(file),
    verifiers: keys.length > 0 ? verifiersFrom(keys) : null,
    witnesses: witnessesFrom(witnesses),
    onFinding: found.add,
  });
  yield* found.frames({ ...verified, unchecked: UNCHECKED }, witnesses.length > 0);
}

async function exportedLines(file: string): Promise<AsyncIterable<string>> {
  const start = Buffer.concat(await Array.fromAsync(createReadStream(file, { end: 3 }) as AsyncIterable<Buffer>));
  if (!isTable(start)) return createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  return linesOfTable(resolve(file));
}

/** Checks that need the whole log. */
const UNCHECKED = ['objects', 'contents', 'calls', 'events-left-out'];

interface AuditExport extends Pick<AuditVerification, 'eventStore' | 'objectStore'> {
  readonly scope: ExportScope;
  /** Shows what is encrypted, too. */
  readonly reading?: Reading;
}

interface Reading {
  readonly contents: NonNullable<AuditVerification['contents']>;
  /** Records who reads, before anything is shown. */
  readonly record: (workspaceIds: readonly string[]) => Promise<void>;
}

/** The lines of an export of the whole log, or of the part of it that is selected. Needs no running system, and disturbs none. */
export async function* exportAudit({ eventStore, objectStore, scope, reading }: AuditExport): AsyncGenerator<string> {
  requireLog(eventStore);
  const contentKeys = reading ? requireContentKeys(reading.contents) : null;
  const log = await openStoredEvents(eventStore);
  const objects = await openObjectStore(objectStore);
  const archive = new ArchiveReader(objectStore);
  try {
    const files = new TreeFiles(objects);
    const note = await files.checkpoint();
    if (note === null) throw new OperationError('there is no checkpoint: nothing was signed yet, or it was removed');
    const verifiers = await verifiersOf(log, []);
    const isWhole = scope.stream === null && scope.from === null && scope.to === null;
    const read = () => selected(() => eventsOf(eventStore, log, archive), scope);
    await reading?.record(await workspacesOf(read()));
    yield* exportLines({
      ...{ files, note, verifiers, scope, isWhole },
      publicKeys: verifiers.map((verifier) => formatVerifier(verifier)),
      events: contentKeys ? revealedOf(read(), contentKeys) : read(),
      now: new Date().toISOString(),
    });
  } catch (error) {
    if (error instanceof NoteError || error instanceof TreeDamagedError)
      throw new OperationError(`the audit tree is damaged (${error.message}); see: anneal audit verify`);
    throw error;
  } finally {
    await Promise.all([log.close(), objects.close(), archive.close(), contentKeys?.close()]);
  }
}

type Selected = Extract<Exported, { readonly event: StoredEvent }>;

async function* revealedOf(events: AsyncIterable<Selected>, keys: ContentKeys): AsyncGenerator<Exported> {
  for await (const selected of events) yield { ...selected, revealed: await reveal(keys, selected.event) };
}

/** Workspaces of which the events have something encrypted. */
async function workspacesOf(events: AsyncIterable<Selected>): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const { event } of events) {
    if (sealedIn(event) === null) continue;
    const { workspaceId } = JSON.parse(event.metadata) as EventMetadata;
    if (workspaceId !== null) found.add(workspaceId);
  }
  return [...found];
}

async function* selected(read: () => VerifyOptions['events'], scope: ExportScope): AsyncGenerator<Selected> {
  const { stream, from, to } = scope;
  const hasTimes = from !== null || to !== null;
  // Every revision of a stream from the first to the last that the times select, so that a missing one is seen.
  let [first, last] = [from === null ? 0 : Infinity, hasTimes ? -1 : Infinity];
  if (stream !== null && hasTimes)
    for await (const page of read())
      for (const event of page) {
        if (event.stream !== stream || !isWithin(event, scope)) continue;
        [first, last] = [Math.min(first, event.revision), event.revision];
      }
  const isSelected =
    stream === null
      ? (event: StoredEvent) => !hasTimes || isWithin(event, scope)
      : (event: StoredEvent) => event.stream === stream && event.revision >= first && event.revision <= last;
  for await (const page of read()) for (const event of page) if (isSelected(event)) yield { event, withheld: null };
}

const isWithin = ({ metadata }: StoredEvent, { from, to }: ExportScope): boolean => {
  const { occurredAt } = JSON.parse(metadata) as EventMetadata;
  return (from === null || occurredAt >= from) && (to === null || occurredAt <= to);
};

/** The first findings, and the number of all. */
class Findings {
  private readonly kept: Finding[] = [];
  private problems = 0;

  readonly add = (finding: Finding): void => {
    this.problems += 1;
    if (this.kept.length < MAX_FINDINGS) this.kept.push(finding);
  };

  /** Each segment of the archive that cannot be read counts once. */
  unarchived(): (error: LogDamagedError) => void {
    const known = new Set<string>();
    return ({ position, problem }) => {
      if (known.has(problem)) return;
      known.add(problem);
      this.add({ problem: 'object', position, what: problem });
    };
  }

  *frames(
    verified: (Verified & { isSealed: boolean | null }) | (VerifiedExport & JsonObject),
    trusted: boolean,
  ): Generator<Json> {
    const { problems } = this;
    yield* this.kept;
    yield { verified: problems === 0, problems, ...verified, trusted };
  }
}

/** null if there are no keys, as in a backup. */
function openContentKeys({ secret, keys }: NonNullable<AuditVerification['contents']>): ContentKeys | null {
  if (isMissing(keys)) return null;
  return new ContentKeys({ store: keys, wrappingKeys: secret.keys('content-keys') });
}

/** @throws OperationError */
function requireContentKeys(contents: NonNullable<AuditVerification['contents']>): ContentKeys {
  const keys = openContentKeys(contents);
  if (keys === null)
    throw new OperationError(
      'the keys of contents are missing, so contents cannot be decrypted; set ANNEAL_CONTENT_KEYS to where they are',
    );
  return keys;
}

/** @throws OperationError */
function requireLog(eventStore: EventLogLocation): void {
  if (eventStore.adapter === 'sqlite' && !existsSync(join(eventStore.directory, 'log.db')))
    throw new OperationError(`${eventStore.directory} holds no log: name a data folder, or a copy of one`);
}

/** @param onDamage see `withArchived` */
const eventsOf = (
  eventStore: EventLogLocation,
  log: EventReader | null,
  archive: ArchiveReader,
  onDamage?: (error: LogDamagedError) => void,
): VerifyOptions['events'] =>
  eventStore.adapter === 'sqlite'
    ? withArchived(readStoredRows(eventStore.directory), archive, onDamage)
    : storedPages(log!, null);

/** @param log null: it names no keys */
async function verifiersOf(log: EventReader | null, keys: readonly string[]): Promise<readonly Verifier[]> {
  try {
    if (keys.length > 0) return verifiersFrom(keys);
    if (log === null) return [];
    const stream = streamName(auditKeyDecider.category, AUDIT_KEYS);
    const made = await Array.fromAsync(log.readStream(stream));
    return made
      .filter(({ type }) => type === 'audit-key-made.v1')
      .map(({ data }) => parseVerifier(data['verifier'] as string));
  } catch (error) {
    if (error instanceof NoteError) throw new OperationError(error.message);
    if (error instanceof StreamNotFoundError || error instanceof LogDamagedError) return [];
    throw error;
  }
}

const witnessesFrom = (keys: readonly string[]): readonly Verifier[] => verifiersFrom(keys, COSIGNATURE);

/** @throws OperationError */
function verifiersFrom(keys: readonly string[], algorithm?: number): readonly Verifier[] {
  try {
    return keys.flatMap((key) => parseVerifiers(key, algorithm));
  } catch (error) {
    throw new OperationError((error as Error).message);
  }
}

/** @returns null while nothing is signed @throws OperationError */
async function keptOf(
  objects: ObjectStore,
  place: CheckpointPlace,
  trusted: readonly string[],
): Promise<KeptCheckpoints | null> {
  const note = await new TreeFiles(objects).checkpoint();
  if (note === null || (place.kind === 'folder' && !existsSync(place.directory))) return null;
  const egress = place.kind === 'web' ? openEgress({ trusted }) : null;
  const keeper = await openKeeper(place, egress);
  try {
    return await keeper.kept(originOf(note), AbortSignal.timeout(KEPT_MS));
  } catch (error) {
    const what = problemOf(error);
    throw new OperationError(
      `the checkpoints at ANNEAL_AUDIT_CHECKPOINTS cannot be read: ${what}; unset it to verify without`,
    );
  } finally {
    await Promise.all([keeper.close(), egress?.close()]);
  }
}

/** Empty for a damaged note, of which the verification tells. */
function originOf(note: string): string {
  try {
    return readNote(note).origin;
  } catch {
    return '';
  }
}

/** @throws OperationError */
async function readCertificates(file: string): Promise<readonly string[]> {
  const { certificatesOf } = await import('#audit/timestamps.js');
  try {
    return certificatesOf(await readFile(file, 'utf8'));
  } catch (error) {
    throw new OperationError(
      `the certificates of the time-stamp authority in ${file} cannot be used: ${(error as Error).message}`,
    );
  }
}

/** A checkpoint beside the log would be changed with it. @throws OperationError */
async function readOutside(file: string, eventStore: EventLogLocation): Promise<string> {
  if (eventStore.adapter === 'sqlite' && isInside(file, eventStore.directory))
    throw new OperationError(
      `the checkpoint ${file} is in the data folder, where whoever changes the log changes it too: give one that was kept elsewhere`,
    );
  return readCheckpoint(file);
}

async function readCheckpoint(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new OperationError(`the checkpoint ${file} cannot be read: ${(error as Error).message}`);
  }
}
