import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';

interface OnMongoDb {
  /** `mongodb://` or `mongodb+srv://`, of any number of hosts. */
  readonly address: string;
}

/** A database of one's own on a server or replica set: its address, and how to be rid of it. */
export function temporaryDatabase({ address }: OnMongoDb): OnMongoDb & { readonly drop: () => Promise<void> } {
  const [, hosts, options = ''] = /^([^:]+:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(address)!;
  const own = `${hosts}/anneal-test-${randomBytes(6).toString('hex')}${options}`;
  return {
    address: own,
    drop: () => inDatabase(own, async (client) => void (await client.db().dropDatabase())),
  };
}

export async function inDatabase<T>(address: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(address);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** The server that takes writes, `host:port`. */
export const primaryOf = ({ address }: OnMongoDb): Promise<string> =>
  inDatabase(address, async (client) => {
    // Not `hello`: one of the servers has only the older name, which all have.
    const { primary } = (await client.db('admin').command({ isMaster: 1 })) as { readonly primary?: string };
    return primary ?? client.options.hosts[0]!.toString();
  });

/** An address of one server only, by a port of this machine that leads to it. A certificate names the server, not that port. */
export function byPort({ address }: OnMongoDb, port: number): string {
  const [, user = '', path = '', options = ''] = /^[^:]+:\/\/([^@/]*@)?[^/?]+(\/[^?]*)?(?:\?(.*))?$/.exec(address)!;
  const kept = options.split('&').filter((option) => option !== '' && !/^replicaSet=/i.test(option));
  const tls = address.startsWith('mongodb+srv:') ? ['tls=true', 'authSource=admin'] : [];
  const all = [...tls, ...kept, 'directConnection=true', 'tlsAllowInvalidHostnames=true'];
  return `mongodb://${user}127.0.0.1:${port}${path}?${all.join('&')}`;
}
