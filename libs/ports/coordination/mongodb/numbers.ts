import { isDuplicate, untilDecided, type CoordinationConnection } from './connection.js';

/** Numbers per life. 2^33 lives fit before numbers lose precision. */
const LIFE = 2 ** 20;

/**
 * Numbers that rise with each change of a key, across its expiry and the removal of its document, and are never reused.
 * A new document starts from a number that no other document has; its changes count up from there, each by
 * compare-and-set. So only creation touches more than the key's own document.
 */
export class Numbers {
  private readonly sequence;

  constructor(connection: CoordinationConnection) {
    this.sequence = connection.collection<{ _id: string; last: number }>('sequence');
  }

  /** The first number of a new document. */
  first(): Promise<number> {
    return untilDecided(async () => {
      try {
        const drawn = await this.sequence.findOneAndUpdate(
          { _id: 'lives' },
          { $inc: { last: 1 } },
          { upsert: true, returnDocument: 'after' },
        );
        return drawn!.last * LIFE;
      } catch (error) {
        // Two processes created the very first:
        // https://www.mongodb.com/docs/manual/reference/method/db.collection.findOneAndUpdate/#upsert-with-duplicate-values
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    });
  }

  /**
   * The number after `last`, which the document has now. A removal may add one by itself; half a life is reserved for
   * those.
   */
  async after(last: number): Promise<number> {
    return last % LIFE < LIFE / 2 ? last + 1 : this.first();
  }
}
