import { describeWithServer } from '#test/servers/describe.js';
import { eventStoreContract } from '../contract.js';
import { openEventStoreDb } from './index.js';

describeWithServer('esdb', ({ address }) => {
  eventStoreContract(
    'EventStoreDB, one log for all',
    async () => {
      const store = await openEventStoreDb({ address });
      return { store, cleanup: () => store.close() };
    },
    { deletedEvents: 'left', log: 'shared' },
  );
});
