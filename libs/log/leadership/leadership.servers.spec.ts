import { openMongoCoordination } from '#ports/coordination/mongodb/index.js';
import { describeWithServer } from '#test/servers/describe.js';
import { temporaryDatabase } from '#test/servers/mongodb-database.js';
import { leadershipSuite } from './leadership.suite.js';

describeWithServer('mongodb', (server) => {
  const { address, drop } = temporaryDatabase(server);
  afterAll(drop);
  leadershipSuite(server.name, (now) => openMongoCoordination({ address, now }));
});
