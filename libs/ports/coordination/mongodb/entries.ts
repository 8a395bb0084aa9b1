import type { Json } from '#domain/json.js';
import type { Entry, ExpectedEntry } from '../port.js';
import { madeFirst, untilDecided, type CoordinationConnection } from './connection.js';
import type { Numbers } from './numbers.js';
import { NEVER, removableAt, type Clocks } from './times.js';

interface EntryDocument {
  readonly _id: string;
  /**
   * Stored before the value: a server that sends a document while it changes (mongo-java-server) then sends a version
   * no newer than the value, and a write based on it is refused.
   */
  readonly version: number;
  /** JSON as text: a document's own field names may not hold everything. null once it has been deleted. */
  readonly value: string | null;
  /** 0 once it has been deleted. */
  readonly ends: number;
  readonly removable: number;
}

/** Entries, one document each. A deleted one is kept for a while, so that versions continue from it. */
export class Entries {
  private readonly documents;

  constructor(
    connection: CoordinationConnection,
    private readonly numbers: Numbers,
    private readonly clocks: Clocks,
  ) {
    this.documents = connection.collection<EntryDocument>('entries');
  }

  async get(key: string): Promise<Entry | null> {
    const document = await this.documents.findOne({ _id: key });
    return document && document.ends > this.clocks.now() && isPresent(document) ? entryOf(document) : null;
  }

  async list(prefix: string, limit: number): Promise<readonly Entry[]> {
    // The server compares the bytes of UTF-8, which is the order of code points.
    const range = { _id: { $gte: prefix, $lt: `${prefix}\u{10ffff}` }, ends: { $gt: this.clocks.now() } };
    const documents = await this.documents.find(range).sort({ _id: 1 }).limit(limit).toArray();
    return documents.filter(isPresent).map(entryOf);
  }

  async compareAndSet(key: string, expected: ExpectedEntry, value: Json, ttlMs?: number): Promise<Entry | null> {
    const ends = ttlMs === undefined ? NEVER : this.clocks.now() + ttlMs;
    const content = { value: JSON.stringify(value), ends, ...removableAt(ends) };
    const written = (version: number): Entry => ({ key, value, version });
    if (expected.kind === 'version') {
      const version = await this.numbers.after(expected.version);
      const present = { _id: key, version: expected.version, ends: { $gt: this.clocks.now() } };
      const { matchedCount } = await this.documents.updateOne(present, { $set: { ...content, version } });
      return matchedCount === 1 ? written(version) : null;
    }
    return untilDecided(async () => {
      const ended = await this.documents.findOne({ _id: key });
      if (ended && ended.ends > this.clocks.now()) return null;
      const version = ended ? await this.numbers.after(ended.version) : await this.numbers.first();
      // If several callers find it missing, one creates it and the others look again.
      const made = ended
        ? (await this.documents.updateOne({ _id: key, version: ended.version }, { $set: { ...content, version } }))
            .matchedCount === 1
        : await madeFirst(() => this.documents.insertOne({ _id: key, version, ...content }));
      return made ? written(version) : undefined;
    });
  }

  async delete(key: string): Promise<void> {
    const gone = { value: null, ends: 0, ...removableAt(this.clocks.now()) };
    await this.documents.updateOne({ _id: key, ends: { $gt: 0 } }, { $set: gone, $inc: { version: 1 } });
  }
}

interface PresentDocument extends EntryDocument {
  readonly value: string;
}

/** Checked again on a document that matched: a server as above sends one that was deleted since without its value. */
const isPresent = (document: EntryDocument): document is PresentDocument => document.value !== null;

const entryOf = ({ _id, value, version }: PresentDocument): Entry => ({
  key: _id,
  value: JSON.parse(value) as Json,
  version,
});
