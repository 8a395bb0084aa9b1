import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { openMongoCoordination } from '#ports/coordination/mongodb/index.js';
import { describeWithServer } from '#test/servers/describe.js';
import { leadershipSuite } from './leadership.suite.js';

describeWithServer('mongodb', ({ name, address }) => {
  const url = new URL(address);
  url.pathname = `/anneal-leadership-${randomUUID()}`;
  const own = url.href;
  afterAll(async () => {
    const client = new MongoClient(own);
    await client.db().dropDatabase();
    await client.close();
  });
  leadershipSuite(name, (now) => openMongoCoordination({ address: own, now }));
});
