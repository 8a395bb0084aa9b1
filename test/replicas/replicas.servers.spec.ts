import { openMongoCoordination } from '#ports/coordination/mongodb/index.js';
import { whyNotInOneStep } from '#ports/coordination/mongodb/one-step.fixture.js';
import { describeWithServer, testServers } from '#test/servers/describe.js';
import { temporaryDatabase } from '#test/servers/mongodb-database.js';
import { replicasSuite } from './suite.js';

const whyNot = new Map(
  await Promise.all(
    (testServers().mongodb ?? []).map(async ({ address }) => [address, await whyNotInOneStep(address)] as const),
  ),
);

describeWithServer('mongodb', (server) => {
  const reason = whyNot.get(server.address);
  if (reason === undefined) describe('two APIs, each with coordination of its own', () => replicasSuite(place));
  else describe.skip(`two APIs (skipped: ${reason})`, () => it('share coordination', () => undefined));

  function place() {
    const { address, drop } = temporaryDatabase(server);
    return { open: () => openMongoCoordination({ address }), remove: drop };
  }
});
