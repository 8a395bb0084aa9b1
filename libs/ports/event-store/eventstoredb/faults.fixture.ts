import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Two nodes that have the same log, empty but for its first event; what is written later is not replicated. */
export async function twoNodes() {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-esdb-'));
  const [one, other] = [join(directory, '1'), join(directory, '2')];
  await (await serverWithStore({}, { directory: one }))[Symbol.asyncDispose]();
  await cp(one, other, { recursive: true });
  const nodes = [
    await startEventStoreServer({ directory: one }),
    await startEventStoreServer({ directory: other }),
  ] as const;
  const [follower, leader] = nodes;
  return {
    ...{ follower, leader },
    follow: () => void (follower.control.leader = { host: '127.0.0.1', port: leader.port }),
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.close()));
      await rm(directory, { recursive: true });
    },
  };
}
