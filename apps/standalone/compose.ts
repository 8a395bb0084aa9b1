import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { Application } from '#application/application.js';
import { InProcessBus } from '#bus/in-process/in-process-bus.js';
import { FolderObjectStore } from '#object-store/folder/index.js';
import { openSecretKey, type SecretKey } from '#secrets/index.js';
import type { Settings } from '#settings/index.js';
import { projections } from '#projections/index.js';
import { openSqliteEventStore } from '#event-store/sqlite/index.js';
import { openReadStore } from '#read-store/open.js';
import { ProjectionHost } from '#projection/host.js';
import type { ProjectionAdvance } from '#projection/status.js';
import { PROJECTION_ADVANCED } from '#application/visibility.js';
import { fakeCoordination } from '#test/support/fakes.js';
import type { HealthSource } from '#apps/api/health/health-source.js';
import { PublicAddress } from './public-address.js';

/** The embedded adapters, opened and joined. */
export interface Embedded {
  readonly application: Application;
  readonly secret: SecretKey;
  readonly healthSources: readonly HealthSource[];
  /** Must be told where the API listens before addresses are given out. */
  readonly publicAddress: PublicAddress;
  close(): Promise<void>;
}

export async function composeEmbedded(settings: Settings): Promise<Embedded> {
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
  const secret = openSecretKey(settings.dataDir, settings.secretKey);
  const publicAddress = new PublicAddress(settings.publicUrl);
  const bus = new InProcessBus();
  const eventStore = await openSqliteEventStore({ directory: settings.dataDir, durability: settings.durability });
  const readStore = await openReadStore({ adapter: 'sqlite', directory: join(settings.dataDir, 'read') });
  const onAdvance = (advances: readonly ProjectionAdvance[]) => {
    for (const advance of advances) bus.signal(PROJECTION_ADVANCED, { ...advance });
  };
  const host = new ProjectionHost({ eventStore, readStore, projections, onAdvance }).start();
  const coordination = fakeCoordination();
  const objectStore = new FolderObjectStore({
    directory: join(settings.dataDir, 'objects'),
    signingKey: secret.derive('upload-signatures'),
    publicUrl: () => publicAddress.url,
  });
  const application = new Application({ eventStore, readStore, bus, objectStore, coordination });
  return {
    application,
    secret,
    publicAddress,
    healthSources: [],
    async close() {
      await application.close();
      await host.close();
      await Promise.all([bus.close(), objectStore.close(), coordination.close(), readStore.close()]);
      await eventStore.close();
    },
  };
}
