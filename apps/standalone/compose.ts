import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Application } from '#application/application.js';
import { PROJECTION_ADVANCED } from '#application/visibility.js';
import type { HealthSource } from '#apps/api/health/health-source.js';
import { Metrics } from '#apps/api/metrics/metrics.js';
import { serveMetrics } from '#apps/api/metrics/serve.js';
import { startProjectionHost, type RunningProjectionHost } from '#apps/worker/projection-host/start.js';
import type { Bus } from '#bus/port.js';
import { InProcessBus } from '#bus/in-process/in-process-bus.js';
import { coordinationService, openSqliteCoordination } from '#coordination/sqlite/index.js';
import { openSqliteEventStore, type AppendSample } from '#event-store/sqlite/index.js';
import { FolderObjectStore } from '#object-store/folder/index.js';
import type { ProjectionAdvance } from '#projection/status.js';
import { openQueries } from '#read-store/open.js';
import { openSecretKey, type SecretKey } from '#secrets/index.js';
import type { Settings } from '#settings/index.js';
import { AppendHealth, healthSources } from './health-sources.js';
import { OpenParts } from './open-parts.js';
import { PublicAddress } from './public-address.js';

/** The embedded adapters, opened and joined. */
export interface Embedded {
  readonly application: Application;
  readonly secret: SecretKey;
  readonly projectionHost: RunningProjectionHost;
  readonly healthSources: readonly HealthSource[];
  /** null where the settings give no port for them. */
  readonly metrics: Metrics | null;
  /** Must be told where the API listens before addresses are given out. */
  readonly publicAddress: PublicAddress;
  /** Resolves when a thread that nothing works without has ended by itself: the process must end, and be started again. */
  readonly failure: Promise<Error>;
  close(): Promise<void>;
}

/**
 * Opens the five ports on a data folder. Threads: `store` writes the log and coordination, `read` runs the projections.
 * @throws FolderInUseError when another process has the folder
 */
export async function composeEmbedded(settings: Settings): Promise<Embedded> {
  const parts = new OpenParts();
  try {
    return await open(settings, parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function open(settings: Settings, parts: OpenParts): Promise<Embedded> {
  const { dataDir: directory, durability, metricsPort } = settings;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const metrics = metricsPort === null ? null : new Metrics();
  const appends = new AppendHealth();
  const onAppend = (sample: AppendSample) => {
    appends.appended(sample.outcome);
    metrics?.appended(sample);
  };
  const { promise: failure, resolve: onFailure } = Promise.withResolvers<Error>();
  const coordinating = coordinationService({ directory, durability });
  const eventStore = parts.opened(
    await openSqliteEventStore({ directory, durability, onAppend, onFailure }, [coordinating]),
  );
  const coordination = parts.opened(openSqliteCoordination({ directory, thread: eventStore.thread }));
  const secret = openSecretKey(directory, settings.secretKey);
  const publicAddress = new PublicAddress(settings.publicUrl);
  const objectStore = parts.opened(
    new FolderObjectStore({
      directory: join(directory, 'objects'),
      signingKey: secret.derive('upload-signatures'),
      publicUrl: () => publicAddress.url,
    }),
  );
  const bus = parts.opened(new InProcessBus());
  const documents = { adapter: 'sqlite', directory: join(directory, 'read') } as const;
  // Before the host starts, so that nobody misses how far it comes.
  const onAdvance = (advances: readonly ProjectionAdvance[]) => announce(bus, advances);
  const eventLog = { adapter: 'sqlite', directory } as const;
  const projectionHost = parts.opened(
    await startProjectionHost({ eventLog, readStore: documents, onAdvance, onFailure }),
  );
  const readStore = parts.opened(await openQueries(documents));
  const ports = { eventStore, readStore, bus, objectStore, coordination };
  const application = parts.opened(new Application(ports));
  if (metrics && metricsPort !== null) {
    metrics.watchProjections(() => projectionHost.status());
    parts.opened(await serveMetrics(metrics, metricsPort));
  }
  return {
    application,
    secret,
    projectionHost,
    healthSources: healthSources(ports, projectionHost, appends),
    metrics,
    publicAddress,
    failure,
    close: () => parts.close(),
  };
}

function announce(bus: Bus, advances: readonly ProjectionAdvance[]): void {
  for (const advance of advances) bus.signal(PROJECTION_ADVANCED, { ...advance });
}
