import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { openMongoCoordination } from '#ports/coordination/mongodb/index.js';
import { whyNotInOneStep } from '#ports/coordination/mongodb/one-step.fixture.js';
import { describeWithServer, testServers } from '#test/servers/describe.js';
import { replicasSuite } from './suite.js';

const whyNot = new Map(
  await Promise.all(
    (testServers().mongodb ?? []).map(async ({ address }) => [address, await whyNotInOneStep(address)] as const),
  ),
);

describeWithServer('mongodb', ({ address }) => {
  const reason = whyNot.get(address);
  if (reason === undefined) describe('two APIs, each with coordination of its own', () => replicasSuite(place));
  else describe.skip(`two APIs (skipped: ${reason})`, () => it('share coordination', () => undefined));

  function place() {
    const url = new URL(address);
    url.pathname = `/anneal-test-${randomUUID()}`;
    return {
      open: () => openMongoCoordination({ address: url.href }),
      async remove() {
        const client = new MongoClient(url.href);
        await client.db().dropDatabase();
        await client.close();
      },
    };
  }
});
