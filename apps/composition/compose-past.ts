import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { categoryOf } from '#domain/streams.js';
import { Application } from '#application/application.js';
import { lastEventBy, type PointInLog } from '#application/as-of.js';
import type { Ports } from '#application/ports.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import type { ProjectionLocations } from '#log/projector/thread/locations.js';
import type { Bus } from '#ports/bus/port.js';
import { SignedCoordination } from '#ports/coordination/signed.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { openStoredEvents } from '#ports/event-store/open.js';
import type { EventStore, Position } from '#ports/event-store/port.js';
import { readOnlyStore } from '#ports/event-store/read-only.js';
import { givenSecret, previousSecret, type SecretKey } from '#primitives/secrets/index.js';
import { PROJECTIONS_MODULE } from '#projections/index.js';
import { Settings } from '#settings/index.js';
import { enginesHere } from './compose.js';
import { requireKeysOfLog } from './keys-of-log.js';
import { locationsOf } from './locations.js';
import { OpenParts } from './open-parts.js';
import {
  openContentKeys,
  openCoordination,
  openPresentCoordination,
  openPresentLog,
  openPresigningObjects,
  openReadQueries,
} from './open-ports.js';
import { PastCoordination } from './past-coordination.js';
import { PublicAddress } from './public-address.js';
import { readOnlyObjects } from './read-only-objects.js';
import { sealedLog } from './seal-of-log.js';
import { secretIsGone, secretOfLog } from './secret-of-log.js';
import { StartRefusedError } from './start-refused.js';

/** Events that erase content. Those after the point count too, so that the past does not show erased content. */
const ERASURES = ['call-content-erased.v1', 'feedback-texts-erased.v1', 'user-erased.v1'] as const;

/** A system as it was at a point of its log, opened beside the running one. */
export interface PastSystem {
  readonly settings: Settings;
  /** Position and time of the last event that it follows from. */
  readonly position: Position;
  readonly time: string;
  /** The log up to that point. */
  readonly application: Application;
  /** Today's log, for authentication and for recording reads. */
  readonly present: Application;
  readonly bus: Bus;
  readonly engines: Engines<RegisteredEngine>;
  readonly secret: SecretKey;
  readonly publicAddress: PublicAddress;
  readonly projections: ProjectionLocations;
  /** Removes its temporary files. */
  close(): Promise<void>;
}

/**
 * Opens the ports of a running system for reading, with read models and coordination in a temporary folder.
 * @param append writes to a log that another process has locked
 * @throws InvalidError the point does not belong to this log, or is in the future
 * @throws StartRefusedError the secret or the keys of contents do not belong to the log
 */
export async function composePast(
  given: Settings,
  point: PointInLog,
  append: EventStore['append'],
): Promise<PastSystem> {
  const parts = new OpenParts();
  try {
    const live = locationsOf(given);
    const log = await openPresentLog(live, recordsOnly(append), parts);
    const { position, time } = await lastEventBy(log, point);
    const directory = await mkdtemp(join(tmpdir(), 'anneal-past-'));
    parts.opened({ close: () => rm(directory, { recursive: true, force: true }) });
    const settings = new Settings({ ...given, publicUrl: null, metricsPort: null, oidcIssuer: null });
    const present = await openPresentCoordination(live, parts);
    const secret = await presentSecret(given, { eventStore: log, coordination: present });
    await log.seal?.begin(secret.keys('log-seal'));
    const publicAddress = new PublicAddress(null);
    const signing = { signingKeys: secret.keys('upload-signatures'), publicUrl: () => publicAddress.url };
    const contentKeys = { store: live.contentKeys, wrappingKeys: secret.keys('content-keys') };
    const eventLog = { ...sealedLog(live.eventStore, secret), cut: { upTo: position, later: ERASURES } };
    const readStore = { adapter: 'sqlite', directory: join(directory, 'read') } as const;
    const bus = parts.opened(new InProcessBus());
    const coordination = { adapter: 'sqlite', directory } as const;
    const own = await openCoordination({ coordination, readStore }, 'normal', parts, () => undefined);
    const ports = {
      eventStore: readOnlyStore(parts.opened(await openStoredEvents(eventLog))),
      readStore: await openReadQueries({ ...live, readStore }, parts),
      bus,
      objectStore: readOnlyObjects(await openPresigningObjects(live, parts, signing), time),
      coordination: new PastCoordination(
        new SignedCoordination(present, { macs: (text) => secret.macs('sessions', text) }),
        own,
      ),
    };
    const keys = await openContentKeys(contentKeys, parts);
    await requireKeysOfLog(log, keys, { location: contentKeys.store });
    const retention = { floorDays: given.retentionFloorDays, ceilingDays: given.retentionCeilingDays };
    const deployment = { severalReplicas: true, retention };
    const opened = (of: Ports) => parts.opened(new Application(of, deployment, keys));
    return {
      ...{ settings, position, time, bus, secret, publicAddress },
      application: opened(ports),
      present: opened({ ...ports, eventStore: log }),
      engines: enginesHere(settings),
      projections: { eventLog, contentKeys, readStore, projections: PROJECTIONS_MODULE },
      close: () => parts.close(),
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** A log is bound to its secret and its keys as a system starts on it. */
const recordsOnly =
  (append: EventStore['append']): EventStore['append'] =>
  async (stream, expected, events) => {
    if (categoryOf(stream) !== 'log') return append(stream, expected, events);
    throw new StartRefusedError('no system of this release has run on this log yet: start it once with npm start');
  };

/** @throws StartRefusedError */
function presentSecret(
  { dataDir, secretKey, secretKeyPrevious }: Settings,
  log: Parameters<typeof secretOfLog>[0],
): Promise<SecretKey> {
  const given = givenSecret(dataDir, secretKey);
  if (given === null) throw new StartRefusedError(secretIsGone(dataDir));
  return secretOfLog(log, given, { dataDir, previous: previousSecret(dataDir, secretKeyPrevious) });
}
