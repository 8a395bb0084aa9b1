import { RELEASES, startEventStoreServer } from '#test/event-store-server/index.js';
import { eventStoreContract } from '../contract.js';
import { openEventStoreDb } from './index.js';

for (const release of RELEASES)
  eventStoreContract(
    `EventStoreDB ${release}`,
    async () => {
      const server = await startEventStoreServer({ release, commitTimeoutMs: 20 });
      const store = await openEventStoreDb({ address: server.address });
      return {
        store,
        cleanup: async () => {
          await store.close();
          await server.close();
        },
      };
    },
    { deletedEvents: 'left', log: 'new' },
  );
