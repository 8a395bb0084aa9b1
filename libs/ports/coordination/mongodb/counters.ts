import type { Increment } from '../port.js';
import { madeFirst, untilDecided, type CoordinationConnection } from './connection.js';
import { removableAt, type Clocks } from './times.js';

interface CounterDocument {
  readonly _id: string;
  readonly value: number;
  readonly ends: number;
  readonly removable: number;
}

/** Counters, one document each, changed by the server in one step. */
export class StoredCounters {
  private readonly documents;

  constructor(
    connection: CoordinationConnection,
    private readonly clocks: Clocks,
  ) {
    this.documents = connection.collection<CounterDocument>('counters');
  }

  async increment(key: string, by: number, ttlMs: number, limit?: number): Promise<Increment> {
    const tooMany = (value: number): boolean => limit !== undefined && value + by > limit;
    return untilDecided(async () => {
      const now = this.clocks.now();
      const running = { _id: key, ends: { $gt: now }, ...(limit !== undefined && { value: { $lte: limit - by } }) };
      const counted = await this.documents.findOneAndUpdate(
        running,
        { $inc: { value: by } },
        { returnDocument: 'after' },
      );
      if (counted) return { applied: true, value: counted.value, endsInMs: counted.ends - now };
      const present = await this.documents.findOne({ _id: key });
      if (present && present.ends > now) {
        if (tooMany(present.value)) return { applied: false, value: present.value, endsInMs: present.ends - now };
        // The counter changed between the two queries.
        return undefined;
      }
      if (tooMany(0)) return { applied: false, value: 0, endsInMs: 0 };
      const begun = await this.begin(present, key, by, now + ttlMs);
      return begun ? { applied: true, value: by, endsInMs: ttlMs } : undefined;
    });
  }

  async delete(key: string): Promise<void> {
    await this.documents.deleteOne({ _id: key });
  }

  /** @returns false when another writer was first */
  private async begin(ended: CounterDocument | null, key: string, value: number, ends: number): Promise<boolean> {
    const fresh = { value, ends, ...removableAt(ends) };
    if (ended) {
      // A restarted counter has a later end, so the filter matches this one only.
      const same = { _id: key, ends: ended.ends };
      return (await this.documents.updateOne(same, { $set: fresh })).matchedCount === 1;
    }
    return madeFirst(() => this.documents.insertOne({ _id: key, ...fresh }));
  }
}
