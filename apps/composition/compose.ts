import { Application } from '#application/application.js';
import { leavePreviousSecret } from '#application/secret-rotation.js';
import { Background } from '#primitives/background/background.js';
import type { HealthSource } from '#primitives/health/health.js';
import { createLogger } from '#primitives/logging/logger.js';
import { collectionNameOf } from '#log/projector/collection.js';
import { tellReading } from '#log/projector/reading.js';
import { projections } from '#projections/index.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import { serveMetrics } from '#primitives/metrics/serve.js';
import type { Bus } from '#ports/bus/port.js';
import { SignedCoordination } from '#ports/coordination/signed.js';
import type { ContentKeysLocation } from '#ports/key-store/content-keys.js';
import { factsOf } from '#ports/event-store/log-created.js';
import { tracedStore } from '#ports/event-store/tracing.js';
import { holdsLogFile, presentOf } from '#ports/event-store/sqlite/index.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import { enginesWith, ServersError } from '#gpu-runner/engines/engines.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { packFolders } from '#models/packs/index.js';
import { engineFolders } from '#models/installs/index.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import {
  decodeSecret,
  givenSecret,
  makeSecret,
  previousSecret,
  PREVIOUS_SECRET_FILE,
  secretFile,
  type GivenSecret,
  type SecretKey,
} from '#primitives/secrets/index.js';
import { isTracing } from '#primitives/tracing/index.js';
import { SettingsError, type Settings } from '#settings/index.js';
import { scheduledBackups } from './backup-places.js';
import { diskHealth, diskSpace } from './disk-health.js';
import { LogHealth, portHealth } from './health-sources.js';
import { requireCoordinationOfLog } from './coordination-of-log.js';
import { requireObjectsOfLog } from './objects-of-log.js';
import { requireKeysOfLog } from './keys-of-log.js';
import { locationsOf, severalReplicas, tracesOf, type Locations } from './locations.js';
import {
  openBus,
  openContentKeys,
  openLogAndCoordination,
  openObjects,
  openPresigningObjects,
  openReadQueries,
} from './open-ports.js';
import { OpenParts } from './open-parts.js';
import { releaseHealth } from './release.js';
import { keepPrivate } from './private-folder.js';
import { PublicAddress } from './public-address.js';
import { requireSameLog } from './same-log.js';
import { requireSealed, sealedLog, type AcceptedEnd } from './seal-of-log.js';
import { secretIsGone, secretOfLog } from './secret-of-log.js';
import { StartRefusedError } from './start-refused.js';

/** The parts that every process has. */
export interface Base {
  readonly settings: Settings;
  readonly locations: Locations;
  readonly bus: Bus;
  readonly objectStore: ObjectStore;
  readonly engines: Engines<RegisteredEngine>;
  /** null if the settings give no port for them. */
  readonly metrics: Metrics | null;
  readonly background: Background;
  /** Resolves when a vital thread has ended unexpectedly: the process must end and be restarted. */
  readonly failure: Promise<Error>;
  close(): Promise<void>;
}

/** The ports, opened and joined, for processes that decide. */
export interface System extends Base {
  readonly application: Application;
  readonly secret: SecretKey;
  /** For threads that read the log. Never log it. */
  readonly contentKeys: ContentKeysLocation;
  readonly healthSources: readonly HealthSource[];
  readonly logHealth: LogHealth;
  /** Unknown until the API listens; no address may be given out before. */
  readonly publicAddress: PublicAddress;
}

interface ComposeOptions {
  /** Continues with the given secret on a log made with another one, which ends all keys and sessions. */
  readonly replaceSecret?: boolean;
  /** Continues with the present key store, or a new one, on a log that needs another. */
  readonly replaceKeys?: boolean;
  /** See `requireObjectsOfLog`. */
  readonly replaceObjects?: boolean;
  /** See `requireCoordinationOfLog`. */
  readonly replaceCoordination?: boolean;
  /** See `requireSealed`. */
  readonly acceptEnd?: AcceptedEnd | null;
  /** Default: the project's engines, with the installed encoder packs, engines and imported models. */
  readonly engines?: Engines<RegisteredEngine>;
  /** See `Application`. */
  readonly visibleWithinMs?: number;
}

/** The engines of the project, with the packs, installed engines and imported models of these settings. @throws SettingsError */
export function enginesHere(settings: Settings): Engines<RegisteredEngine> {
  const { generationServers: file } = settings;
  try {
    const torch = { processes: settings.torchProcesses, isDeterministic: settings.torchDeterministic };
    return enginesWith(packFolders(settings), engineFolders(settings), file, torch);
  } catch (error) {
    if (!(error instanceof ServersError)) throw error;
    throw new SettingsError('ANNEAL_GENERATION_SERVERS', `names ${file}, which cannot be used: ${error.message}`, {
      cause: error,
    });
  }
}

/**
 * Opens the ports that the settings name.
 * @throws FolderInUseError when another process has the folder
 * @throws LogLostError when the log is missing and other data say that there was one
 * @throws StartRefusedError when the log or the secret is not the one that the other data belong to
 */
export const compose = (
  settings: Settings,
  {
    replaceSecret = false,
    replaceKeys = false,
    replaceObjects = false,
    replaceCoordination = false,
    acceptEnd = null,
    engines = enginesHere(settings),
    visibleWithinMs,
  }: ComposeOptions = {},
): Promise<System> =>
  opening(async (parts) => {
    const { dataDir } = settings;
    const locations = locationsOf(settings);
    scheduledBackups(settings, locations);
    const given = givenSecret(dataDir, settings.secretKey) ?? newSecret(dataDir, locations, replaceSecret);
    const publicAddress = new PublicAddress(settings.publicUrl);
    const { promise: failure, resolve: onFailure } = Promise.withResolvers<Error>();
    const metrics = await openMetrics(settings, parts);
    const logger = createLogger(settings.logLevel);
    const background = new Background(logger, metrics);
    const logHealth = new LogHealth(logger);
    const log = await openLogAndCoordination(locations, settings, parts, {
      facts: {
        ...(given && { secretFingerprint: decodeSecret(given.text).fingerprint }),
        contents: settings.callContents ?? 'encrypted',
        hasSeal: true,
      },
      onAppend: (sample) => metrics?.appended(sample),
      onDamage: (error) => logHealth.damaged(error),
      onFailure,
      background,
    });
    await requireSameLog(log.eventStore, log.coordination);
    const previous = previousSecret(dataDir, settings.secretKeyPrevious);
    const secret = await secretOfLog(log, given!, { dataDir, replace: replaceSecret, previous });
    await requireSealed(log.eventStore, secret, { accepted: acceptEnd, isSecretReplaced: replaceSecret });
    const signing = { signingKeys: secret.keys('upload-signatures'), publicUrl: () => publicAddress.url };
    const forged = new Set<string>();
    const coordination = new SignedCoordination(log.coordination, {
      macs: (text) => secret.macs('sessions', text),
      onForged(kind) {
        if (!forged.has(kind)) logger.error({ event: 'coordination-forged', kind }, `${FORGED} (${kind})`);
        forged.add(kind);
      },
    });
    await requireCoordinationOfLog(log.eventStore, coordination, {
      ...{ replace: replaceCoordination || replaceSecret, trust: replaceSecret },
    });
    const ports = {
      ...{ ...log, coordination },
      ...(isTracing() && { eventStore: tracedStore(log.eventStore) }),
      readStore: await openReadQueries(locations, parts),
      bus: await openBus(locations, parts),
      objectStore: await openPresigningObjects(locations, parts, signing),
    };
    await requireObjectsOfLog(ports, { replace: replaceObjects });
    const contentKeys = { store: locations.contentKeys, wrappingKeys: secret.keys('content-keys') };
    const keys = await openContentKeys(contentKeys, parts, background);
    await requireKeysOfLog(log.eventStore, keys, { location: contentKeys.store, replace: replaceKeys });
    if (secret.previous) await leavePreviousSecret(ports, keys, secret);
    const { contents: begunWith = 'plain' } = await factsOf(log.eventStore);
    const contents = settings.callContents ?? begunWith;
    if (contents === 'plain' && begunWith === 'encrypted') logger.warn({}, PLAIN_WINS);
    const encryptsContents = contents === 'encrypted';
    const retention = { floorDays: settings.retentionFloorDays, ceilingDays: settings.retentionCeilingDays };
    const deployment = { severalReplicas: severalReplicas(locations), encryptsContents, retention, visibleWithinMs };
    const application = parts.opened(new Application(ports, deployment, keys, background));
    const { bus, objectStore } = application.ports;
    parts.opened(tellReading(bus, projections.map(collectionNameOf)));
    return {
      settings,
      locations: { ...locations, eventStore: sealedLog(locations.eventStore, secret) },
      bus,
      objectStore,
      engines,
      metrics,
      background,
      failure,
      application,
      secret,
      contentKeys,
      publicAddress,
      logHealth,
      healthSources: [
        ...portHealth({ ...ports, objectStore }, logHealth, { keys, contents, forged }),
        diskHealth(settings.dataDir),
        releaseHealth,
      ],
      close: () => parts.close(),
    };
  }, settings);

const FORGED = 'coordination has entries that this installation did not write, and they are refused';

const PLAIN_WINS =
  'ANNEAL_CALL_CONTENTS=plain wins over how this log began (encrypted): what calls say from now on, and rows, cannot be erased from backups';

/**
 * Makes the secret of a new log.
 * @returns null if the log was lost as well
 * @throws StartRefusedError if the log exists, so that its secret was lost
 */
function newSecret(dataDir: string, locations: Locations, replace: boolean): GivenSecret | null {
  const { eventStore } = locations;
  if (eventStore.adapter !== 'sqlite') return makeSecret(dataDir);
  const isThere = holdsLogFile(eventStore.directory);
  // The operator has renamed the secret, so that another one is created.
  const goesOver = secretFile(dataDir, PREVIOUS_SECRET_FILE) !== null;
  if (isThere && !replace && !goesOver) throw new StartRefusedError(secretIsGone(dataDir));
  // A lost log is reported on opening; until it is back, no other secret replaces its own.
  const wasLost = !isThere && presentOf(tracesOf(locations)).length > 0;
  return wasLost ? null : makeSecret(dataDir);
}

/** Opens the parts that a runner needs: the bus and the objects. */
export const composeRunner = (settings: Settings): Promise<Base> =>
  opening(async (parts) => {
    const locations = locationsOf(settings);
    const metrics = await openMetrics(settings, parts);
    return {
      settings,
      locations,
      failure: new Promise<Error>(() => undefined),
      metrics,
      background: new Background(createLogger(settings.logLevel), metrics),
      bus: await openBus(locations, parts),
      objectStore: await openObjects(locations, parts),
      engines: enginesHere(settings),
      close: () => parts.close(),
    };
  }, settings);

/** Closes the opened parts if the others cannot be opened. */
async function opening<T>(open: (parts: OpenParts) => Promise<T>, { dataDir, logLevel }: Settings): Promise<T> {
  const parts = new OpenParts();
  try {
    const warning = await keepPrivate(dataDir);
    if (warning !== null) createLogger(logLevel).warn({}, warning);
    return await open(parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function openMetrics({ metricsPort, metricsHost, dataDir }: Settings, parts: OpenParts): Promise<Metrics | null> {
  if (metricsPort === null) return null;
  const metrics = new Metrics();
  metrics.watchDisk(() => diskSpace(dataDir));
  const served = serveMetrics(metrics, metricsPort, metricsHost).catch((error: NodeJS.ErrnoException) => {
    if (!['listen', 'getaddrinfo'].includes(error.syscall ?? '')) throw error;
    const problem = `and ANNEAL_METRICS_HOST cannot be listened on (${error.message}); choose others`;
    throw new SettingsError('ANNEAL_METRICS_PORT', problem, { cause: error });
  });
  parts.opened(await served);
  return metrics;
}
