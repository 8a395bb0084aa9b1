import type { Lease } from '../port.js';
import { madeFirst, untilDecided, type CoordinationConnection } from './connection.js';
import type { Numbers } from './numbers.js';
import { removableAt, type Clocks } from './times.js';

interface LeaseDocument {
  readonly _id: string;
  /** null once it has been released. */
  readonly holder: string | null;
  readonly token: number;
  /** Rises with each extension. */
  readonly extended: number;
  readonly termMs: number;
  /** End of the lease by the holder's own clock; only the holder reads it. */
  readonly ends: number;
  readonly removable: number;
}

/** A lease as it was first seen. While it stays unchanged, its holder is silent. */
interface Sighting {
  readonly token: number;
  readonly extended: number;
  /** Our monotonic clock when the answer arrived; the holder's last renewal was earlier. */
  readonly at: number;
}

/** Maximum number of sightings kept. Forgetting one only makes a challenger wait longer. */
const SIGHTINGS = 10_000;

/**
 * Leases, one document each. Clocks of different machines are never compared: a challenger takes a lease that it has
 * seen unchanged for the holder's whole term by its own clock. By then the holder, who counts from before its request,
 * has given it up.
 */
export class StoredLeases {
  private readonly documents;
  private readonly sightings = new Map<string, Sighting>();

  constructor(
    connection: CoordinationConnection,
    private readonly numbers: Numbers,
    private readonly clocks: Clocks,
  ) {
    this.documents = connection.collection<LeaseDocument>('leases');
  }

  async acquire(name: string, holder: string, termMs: number): Promise<Lease | null> {
    return untilDecided(async () => {
      const present = await this.documents.findOne({ _id: name });
      const seenAt = this.clocks.monotonic();
      if (present && this.isHeldByAnother(present, holder, seenAt)) return null;
      const now = this.clocks.now();
      const token = await this.tokenFor(present, holder, now);
      const ends = now + termMs;
      const held = { holder, token, termMs, ends, ...removableAt(ends) };
      if (!(await this.write(name, present, held))) return undefined;
      this.sightings.delete(name);
      return { name, holder, token };
    });
  }

  async release({ name, holder, token }: Lease): Promise<void> {
    const free = { holder: null, ends: 0, ...removableAt(this.clocks.now()) };
    await this.documents.updateOne({ _id: name, holder, token }, { $set: free, $inc: { extended: 1 } });
  }

  private isHeldByAnother(present: LeaseDocument, holder: string, seenAt: number): boolean {
    if (present.holder === null || present.holder === holder) return false;
    const { _id: name, token, extended, termMs } = present;
    const before = this.sightings.get(name);
    if (before?.token === token && before.extended === extended) return seenAt - before.at < termMs;
    this.sightings.delete(name);
    this.sightings.set(name, { token, extended, at: seenAt });
    if (this.sightings.size > SIGHTINGS) this.sightings.delete(this.sightings.keys().next().value!);
    return true;
  }

  /** The same token while the lease is extended in time; a new one whenever another holder may have had it. */
  private async tokenFor(present: LeaseDocument | null, holder: string, now: number): Promise<number> {
    if (present === null) return this.numbers.first();
    const goesOn = present.holder === holder && present.ends > now;
    return goesOn ? present.token : this.numbers.after(present.token);
  }

  /** Writes only over the state that was seen. @returns false if it has changed since */
  private async write(
    name: string,
    seen: LeaseDocument | null,
    held: Omit<LeaseDocument, '_id' | 'extended'>,
  ): Promise<boolean> {
    if (seen) {
      const same = { _id: name, token: seen.token, extended: seen.extended };
      const next = { ...held, extended: seen.extended + 1 };
      return (await this.documents.updateOne(same, { $set: next })).matchedCount === 1;
    }
    return madeFirst(() => this.documents.insertOne({ _id: name, ...held, extended: 0 }));
  }
}
