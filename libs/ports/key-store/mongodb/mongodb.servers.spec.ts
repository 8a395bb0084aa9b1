import { describeWithServer } from '#test/servers/describe.js';
import { temporaryDatabase } from '#test/servers/mongodb-database.js';
import { keyStoreContract } from '../contract.js';

describeWithServer('mongodb', (server) => {
  const { address, drop } = temporaryDatabase(server);
  afterAll(drop);

  describe(`keys of contents on ${server.name}`, () => keyStoreContract({ adapter: 'mongodb', address }));
});
