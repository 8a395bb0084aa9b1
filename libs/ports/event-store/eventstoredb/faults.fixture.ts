import {
  startEventStoreServer,
  type EventStoreServer,
  type EventStoreServerOptions,
} from '#test/event-store-server/index.js';
import { AppendOutcomeUnknownError, EventStoreUnavailableError, type EventStore } from '../port.js';
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

/** Appends as callers of the port do: repeats the append until its outcome is definite. */
export async function appendDefinitely(store: EventStore, ...append: Parameters<EventStore['append']>) {
  for (;;) {
    try {
      return await store.append(...append);
    } catch (error) {
      const open = error instanceof AppendOutcomeUnknownError || error instanceof EventStoreUnavailableError;
      if (!open) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
