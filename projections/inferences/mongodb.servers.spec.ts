import { openMongoReadStore } from '#ports/read-store/mongodb/index.js';
import { temporaryDatabase } from '#test/servers/mongodb-database.js';
import { describeWithOneServer } from '#test/servers/describe.js';
import { daysSuite } from './days.suite.js';

describeWithOneServer('mongodb', (server) => {
  daysSuite(async () => {
    const { address, drop } = temporaryDatabase(server);
    const store = await openMongoReadStore({ address });
    const clear = async () => {
      await drop();
      await store.close();
    };
    return { store, clear };
  });
});
