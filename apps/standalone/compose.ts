import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { Application } from '#application/application.js';
import { InProcessBus } from '#bus/in-process/in-process-bus.js';
import { FolderObjectStore } from '#object-store/folder/index.js';
import { openSecretKey, type SecretKey } from '#secrets/index.js';
import type { Settings } from '#settings/index.js';
import { projections } from '#projections/index.js';
import { fakeCoordination, fakeEventStore, fakeReadStore } from '#test/support/fakes.js';
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
  const { store: eventStore, log } = fakeEventStore(bus, projections);
  const readStore = fakeReadStore(log, projections);
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
      await Promise.all([bus.close(), objectStore.close(), coordination.close(), eventStore.close()]);
    },
  };
}
