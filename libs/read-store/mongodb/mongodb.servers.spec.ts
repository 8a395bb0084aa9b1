import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { describeWithServer } from '#test/servers/describe.js';
import { readStoreContract } from '../contract.js';
import { openMongoReadStore } from './index.js';

describeWithServer('mongodb', (server) => {
  const client = new MongoClient(server.address);
  const name = `read-${randomBytes(6).toString('hex')}`;
  const address = addressOf(server.address, name);
  afterAll(() => client.close());

  readStoreContract(
    'MongoDB',
    () => openMongoReadStore({ address }),
    async () => void (await client.db(name).dropDatabase()),
  );
});

/** The address with another database. */
function addressOf(address: string, database: string): string {
  const [, server, options = ''] = /^([^:]+:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(address)!;
  return `${server}/${database}${options}`;
}
