import {
  startEventStoreServer,
  type EventStoreServer,
  type EventStoreServerOptions,
} from '#test/event-store-server/index.js';
import { openEventStoreDb, type EventStoreDb, type EventStoreDbOptions } from './index.js';

export interface ServerWithStore extends AsyncDisposable {
  readonly server: EventStoreServer;
  readonly store: EventStoreDb;
}

export async function serverWithStore(
  options: Omit<EventStoreDbOptions, 'address'> = {},
  served: EventStoreServerOptions = {},
): Promise<ServerWithStore> {
  const server = await startEventStoreServer(served);
  const store = await openEventStoreDb({ address: server.address, ...options });
  return {
    server,
    store,
    async [Symbol.asyncDispose]() {
      server.control.silent = false;
      await store.close();
      await server.close();
    },
  };
}
