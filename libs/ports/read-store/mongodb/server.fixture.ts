import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { NamedServer } from '#test/servers/describe.js';

/** A database of one's own on a server: its address, and how to be rid of it. */
export function temporaryDatabase(server: NamedServer): {
  readonly address: string;
  readonly drop: () => Promise<void>;
} {
  const [, hosts, options = ''] = /^([^:]+:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(server.address)!;
  const name = `read-${randomBytes(6).toString('hex')}`;
  return {
    address: `${hosts}/${name}${options}`,
    drop: async () => {
      const client = new MongoClient(server.address);
      await client.db(name).dropDatabase();
      await client.close();
    },
  };
}
