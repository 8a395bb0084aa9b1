import type { Json } from '#domain/json.js';
import type { StoredCoordination } from '../port.js';
import { CoordinationConnection } from './connection.js';
import { NEVER } from './times.js';

/** Documents of one request. */
const PAGE = 1_000;

interface Stored {
  readonly _id: string;
  readonly value: string | number | null;
  readonly ends: number;
}

/** See `readStoredCoordination`. */
export async function* storedInMongo(address: string): AsyncGenerator<StoredCoordination> {
  const connection = new CoordinationConnection(address);
  const now = Date.now();
  async function* documents(name: 'entries' | 'counters') {
    for (let after: string | null = null; ;) {
      const beyond = { ends: { $gt: now }, ...(after !== null && { _id: { $gt: after } }) };
      const page: readonly Stored[] = await connection.operation(() =>
        connection.collection<Stored>(name).find(beyond).sort({ _id: 1 }).limit(PAGE).toArray(),
      );
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)!._id;
    }
  }
  try {
    for await (const { _id: key, value, ends } of documents('entries')) {
      // Deleted: its number is kept.
      if (value === null) continue;
      const endsInMs = ends === NEVER ? null : ends - now;
      yield { kind: 'entry', key, value: JSON.parse(value as string) as Json, endsInMs };
    }
    for await (const { _id: key, value, ends } of documents('counters'))
      yield { kind: 'counter', key, value: value as number, endsInMs: ends - now };
  } finally {
    await connection.close();
  }
}
