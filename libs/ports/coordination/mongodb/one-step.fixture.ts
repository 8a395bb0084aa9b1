import { MongoClient } from 'mongodb';

/**
 * Why what many do at once cannot be asked of a server; undefined of MongoDB, and of what keeps its promise.
 * FerretDB 1 reads a document, and writes it in another step: what MongoDB promises of one document it does not.
 */
export async function whyNotInOneStep(address: string): Promise<string | undefined> {
  const client = new MongoClient(address);
  try {
    const about = await client.db('admin').command({ buildInfo: 1 });
    return 'ferretdbVersion' in about ? 'FerretDB 1 does not change a document in one step' : undefined;
  } finally {
    await client.close();
  }
}
