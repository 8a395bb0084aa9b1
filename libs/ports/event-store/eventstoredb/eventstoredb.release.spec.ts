import { startEventStoreServer } from '#test/event-store-server/index.js';
import { eventStoreContract } from '../contract.js';
import { openEventStoreDb } from './index.js';

eventStoreContract(
  'EventStoreDB',
  async () => {
    const server = await startEventStoreServer();
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
