import { MongoClient } from 'mongodb';

/** Resolves when a server that speaks MongoDB's protocol answers. */
export async function mongoPing(port: number): Promise<void> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}`, { serverSelectionTimeoutMS: 1000 });
  try {
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}
