import { setTimeout as sleep } from 'node:timers/promises';
import { compose } from '#apps/composition/compose.js';
import { locationsOf, type Locations } from '#apps/composition/locations.js';
import { OpenParts } from '#apps/composition/open-parts.js';
import { openCoordination, openObjects, openPresentCoordination } from '#apps/composition/open-ports.js';
import { keepPrivate } from '#apps/composition/private-folder.js';
import { rememberedLog } from '#apps/composition/same-log.js';
import { refusalOf, sealedLog } from '#apps/composition/seal-of-log.js';
import { verifyAudit } from '#apps/operator/audit.js';
import { auditOperations } from '#apps/operator/audit-restart.js';
import { OperationError, type OperationProgress } from '#apps/operator/operation.js';
import { earlierKeys } from '#application/secret-rotation.js';
import { TreeFiles } from '#audit/tree-files.js';
import { copyCoordination } from '#backup/migration/coordination.js';
import { copyKeys } from '#backup/migration/keys.js';
import { copyLog, digestOfLog } from '#backup/migration/log.js';
import { copyObjects, isMoved } from '#backup/migration/objects.js';
import { MigrationRefusedError } from '#backup/migration/refused.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isLogCreated, type LogFacts, type LogOrigin } from '#ports/event-store/log-created.js';
import { openStoredEvents } from '#ports/event-store/open.js';
import type { EventReader, EventStore } from '#ports/event-store/port.js';
import { countHeld, holdsLogFile, inspectStoredSeal, lockFolder } from '#ports/event-store/sqlite/index.js';
import { isMissing, openKeyStore } from '#ports/key-store/open.js';
import { decodeSecret, givenSecret, type SecretKey } from '#primitives/secrets/index.js';
import type { Settings } from '#settings/index.js';

export interface Migration {
  /** The system that is there, of which no process runs. */
  readonly from: Settings;
  /** The target: empty, or with what an interrupted migration has left. */
  readonly to: Settings;
  /** Only says what there is to copy. */
  readonly isDry: boolean;
  readonly signal: AbortSignal;
}

/**
 * Copies a system to other adapters: keys of contents, objects, coordination, and the log last, so that no system starts on half a copy.
 * Yields `{step: 'plan', ...}`, progress, and last `{step: 'migrated', ...}`. The source stays as it is.
 * @throws OperationError
 */
export async function* migrate({ from, to, isDry, signal }: Migration): AsyncGenerator<Json> {
  const parts = new OpenParts();
  try {
    const source = await openSource(from, parts);
    const secret = requireSameSecret(source.secret, to);
    const plan = await planOf(source);
    yield { step: 'plan', ...plan };
    if (isDry) return;
    await requireVerified(source);
    await keepPrivate(to.dataDir);
    const target = await openTarget(to, source, parts);
    const keys = isMissing(source.locations.contentKeys)
      ? 0
      : await copyKeys(...(await keyStores(source, target, parts)));
    const { objects, bytes } = await copyObjects({ from: source.objects, to: target.objects, signal });
    const coordination = await copyCoordination(source.locations.coordination, target.coordination, signal);
    const log = await openTargetLog(target.locations, source, secret, parts);
    const running = { done: 0 };
    const copying = copyLog({ from: source.log, to: log, signal, onProgress: (done) => (running.done = done) });
    yield* whileRunning(copying, () => ({ progress: { done: running.done, total: plan.events, unit: 'events' } }));
    const [here, there] = [await digestOfLog(source.log), await digestOfLog(log)];
    if (here.sha256 !== there.sha256)
      throw new MigrationRefusedError(
        `the copied log has ${there.events} events and another SHA-256 than the ${here.events} of the source, which changed meanwhile: stop every process, then run the same command again`,
      );
    await parts.close();
    await vouch(to, source.checkpoint);
    yield { step: 'migrated', events: there.events, sha256: there.sha256, objects, bytes, coordination, keys };
  } catch (error) {
    if (error instanceof MigrationRefusedError) throw new OperationError(error.message);
    throw error;
  } finally {
    await parts.close();
  }
}

interface Source {
  readonly locations: Locations;
  readonly secret: SecretKey;
  readonly log: EventReader;
  readonly objects: Awaited<ReturnType<typeof openObjects>>;
  readonly origin: LogOrigin;
  readonly facts: LogFacts;
  /** The signed note of the audit tree; null if nothing was signed. */
  readonly checkpoint: string | null;
}

async function openSource(settings: Settings, parts: OpenParts): Promise<Source> {
  const locations = locationsOf(settings);
  const { eventStore } = locations;
  if (eventStore.adapter === 'sqlite') {
    if (!holdsLogFile(eventStore.directory))
      throw new OperationError(`${settings.dataDir} holds no system: set ANNEAL_DATA_DIR to its folder`);
    // No system starts on the folder meanwhile.
    const lock = lockFolder(eventStore.directory);
    parts.opened({ close: async () => lock.release() });
  }
  const given = givenSecret(settings.dataDir, settings.secretKey);
  if (given === null) throw new OperationError('the secret is missing: set ANNEAL_SECRET_KEY, or put secret.key back');
  const coordination = await openPresentCoordination(locations, parts);
  const newest = decodeSecret(given.text);
  const secret = newest.accepting(null, await earlierKeys(coordination, newest));
  if (eventStore.adapter === 'sqlite') {
    const state = inspectStoredSeal(eventStore.directory, secret.keys('log-seal'));
    if (state.kind !== 'whole') throw new OperationError(refusalOf(state));
    const held = countHeld(eventStore.directory);
    if (held > 0)
      throw new OperationError(
        `${held} calls were interrupted when the system ended: start and stop it once, which ends them`,
      );
  }
  const log = parts.opened(await openStoredEvents(sealedLog(eventStore, secret)));
  const objects = await openObjects(locations, parts);
  const checkpoint = await new TreeFiles(objects).checkpoint();
  for await (const event of log.readAll({ limit: 1 })) {
    if (!isLogCreated(event)) break;
    const { logId, ...facts } = event.data as { readonly logId: string } & LogFacts;
    const origin = { logId, occurredAt: event.metadata.occurredAt };
    return { locations, secret, log, objects, origin, facts, checkpoint };
  }
  throw new OperationError('the event log does not begin as one of Anneal: nothing can be copied from it');
}

/** The copy has another tree: what this one would tell is asked before. @throws OperationError */
async function requireVerified({ locations, checkpoint }: Source): Promise<void> {
  if (checkpoint === null) return;
  const { eventStore, objectStore } = locations;
  for await (const frame of verifyAudit({ eventStore, objectStore, keys: [], checkpoints: [], contents: null }))
    if ((frame as JsonObject)['verified'] === false)
      throw new OperationError(
        'the log is not what was signed, and a copy would hide it: npx anneal audit verify says what was changed',
      );
}

/** @throws OperationError: all that is signed or encrypted is under the secret */
function requireSameSecret(secret: SecretKey, to: Settings): SecretKey {
  const given = givenSecret(to.dataDir, to.secretKey);
  if (given !== null && decodeSecret(given.text).fingerprint === secret.fingerprint) return secret;
  const why = given === null ? 'names no secret' : 'has another secret';
  throw new OperationError(
    `the target ${why}: give ANNEAL_SECRET_KEY in its file, the same as of the source (of a folder: the content of its secret.key)`,
  );
}

async function planOf({ log, objects, checkpoint, locations }: Source) {
  const { events } = await digestOfLog(log);
  let [count, bytes] = [0, 0];
  for await (const { key, size } of objects.list('')) if (isMoved(key)) [count, bytes] = [count + 1, bytes + size];
  return { events, objects: count, bytes, hasTree: checkpoint !== null, from: locations.eventStore.adapter };
}

async function openTarget(settings: Settings, source: Source, parts: OpenParts) {
  const locations = locationsOf(settings);
  const coordination = await openCoordination(locations, 'full', parts, () => undefined);
  const there = await rememberedLog(coordination);
  if (there !== null && there !== source.origin.logId)
    throw new OperationError(`the target has the system of another event log (${there}): give an empty place`);
  return { locations, coordination, objects: await openObjects(locations, parts) };
}

async function keyStores(source: Source, target: { readonly locations: Locations }, parts: OpenParts) {
  return [
    parts.opened(await openKeyStore(source.locations.contentKeys)),
    parts.opened(await openKeyStore(target.locations.contentKeys)),
  ] as const;
}

/** The log of the target, which is made with the id of the source's, and sealed as it is written. */
async function openTargetLog(
  { eventStore }: Locations,
  { origin, facts }: Source,
  secret: SecretKey,
  parts: OpenParts,
): Promise<EventStore> {
  const opened = await openLog(eventStore, { facts, origin });
  const log = parts.opened(opened);
  const { logId } = await log.head();
  if (logId !== origin.logId)
    throw new OperationError(`the target has another event log (${logId}): give an empty place`);
  await log.seal?.begin(secret.keys('log-seal'));
  return log;
}

async function openLog(
  location: Locations['eventStore'],
  origin: { readonly facts: LogFacts; readonly origin: LogOrigin },
) {
  if (location.adapter === 'eventstoredb') {
    const { openEventStoreDb } = await import('#ports/event-store/eventstoredb/index.js');
    return openEventStoreDb({ address: location.address, ...origin });
  }
  const { openSqliteEventStore } = await import('#ports/event-store/sqlite/index.js');
  // The migration is run again after a power failure, so it need not wait for the disk.
  return openSqliteEventStore({ directory: location.directory, durability: 'normal', ...origin });
}

/** Opens the copy as a start does, which compares what belongs together, and records the head of the earlier tree on the log. */
async function vouch(settings: Settings, checkpoint: string | null): Promise<void> {
  const system = await compose(settings);
  try {
    if (checkpoint === null) return;
    const restart = auditOperations(system.application, checkpoint)['audit.restart']!;
    await Array.fromAsync(restart({ reason: REASON }, new AbortController().signal));
  } finally {
    await system.close();
  }
}

const REASON = 'the system was moved to other stores, where events have other positions';

const PROGRESS_MS = 250;

async function* whileRunning(work: Promise<void>, progress: () => OperationProgress): AsyncGenerator<Json> {
  const ended = work.then(
    () => true,
    () => true,
  );
  for (let isEnded = false; !isEnded;) {
    isEnded = await Promise.race([ended, sleep(PROGRESS_MS, false)]);
    yield progress();
  }
  await work;
}
