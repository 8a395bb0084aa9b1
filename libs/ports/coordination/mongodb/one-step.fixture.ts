import { MongoClient } from 'mongodb';

/**
 * The reason why a server cannot be tested for concurrent changes; undefined if it can. FerretDB 1 reads a document and
 * writes it in two steps, so it lacks MongoDB's atomicity for one document.
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
