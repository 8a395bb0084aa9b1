import type { Json, JsonObject } from '#domain/json.js';
import type { Coordination, Entry, ExpectedEntry, Increment, Lease } from './port.js';

/**
 * Keys of entries that say who somebody is, or that decide. Their values are objects. Counters have no HMAC: whoever could change one
 * could as well remove it, and it would begin again as one whose time is over.
 */
const SIGNED = [
  'session:',
  'sign-in-link:',
  'password:',
  'seen-networks:',
  'held-credits:',
  'of-log:',
  'counts:',
  'settled:',
] as const;

const ALL = 2 ** 31 - 1;

const isSigned = (key: string): boolean => SIGNED.some((prefix) => key.startsWith(prefix));

interface Signing {
  /** HMACs of a text under the secret in force, then under earlier ones. */
  readonly macs: (text: string) => readonly string[];
  /** Called with the kind of each entry that is refused: the key up to its colon. */
  readonly onForged?: (kind: string) => void;
}

/**
 * Coordination in which such entries carry an HMAC of their key and value. One that somebody else has
 * planted or changed counts as absent.
 */
export class SignedCoordination implements Coordination {
  constructor(
    private readonly stored: Coordination,
    private readonly signing: Signing,
  ) {}

  async get(key: string): Promise<Entry | null> {
    const entry = await this.stored.get(key);
    return entry && this.opened(entry);
  }

  async compareAndSet(key: string, expected: ExpectedEntry, value: Json, ttlMs?: number): Promise<Entry | null> {
    const given = isSigned(key) ? this.signed(key, value as JsonObject) : value;
    const entry =
      (await this.stored.compareAndSet(key, expected, given, ttlMs)) ??
      (await this.overForged(key, expected, given, ttlMs));
    return entry && { ...entry, value };
  }

  delete(key: string): Promise<void> {
    return this.stored.delete(key);
  }

  async list(prefix: string, limit: number): Promise<readonly Entry[]> {
    return (await this.stored.list(prefix, limit)).flatMap((entry) => this.opened(entry) ?? []);
  }

  increment(key: string, by: number, ttlMs: number, limit?: number): Promise<Increment> {
    return this.stored.increment(key, by, ttlMs, limit);
  }

  acquireLease(name: string, holder: string, termMs: number): Promise<Lease | null> {
    return this.stored.acquireLease(name, holder, termMs);
  }

  releaseLease(lease: Lease): Promise<void> {
    return this.stored.releaseLease(lease);
  }

  /** The store is closed by its opener. */
  async close(): Promise<void> {}

  /** Signs the entries that an earlier release has left without an HMAC. @param ttlOf milliseconds until an entry ends */
  async signAll(ttlOf: (entry: Entry) => number | undefined): Promise<void> {
    for (const prefix of SIGNED)
      for (const entry of await this.stored.list(prefix, ALL)) {
        const expected = { kind: 'version', version: entry.version } as const;
        const { mac: _, ...value } = entry.value as JsonObject;
        await this.stored.compareAndSet(entry.key, expected, this.signed(entry.key, value), ttlOf(entry));
      }
  }

  private async overForged(key: string, expected: ExpectedEntry, value: Json, ttlMs?: number): Promise<Entry | null> {
    if (expected.kind !== 'absent') return null;
    const there = isSigned(key) ? await this.stored.get(key) : null;
    if (there === null || this.opened(there) !== null) return null;
    return this.stored.compareAndSet(key, { kind: 'version', version: there.version }, value, ttlMs);
  }

  private signed(key: string, value: JsonObject): JsonObject {
    return { ...value, mac: this.signing.macs(textOf(key, value))[0]! };
  }

  private opened(entry: Entry): Entry | null {
    if (!isSigned(entry.key)) return entry;
    const { mac, ...value } = entry.value as JsonObject;
    if (this.signing.macs(textOf(entry.key, value)).some((each) => each === mac)) return { ...entry, value };
    this.signing.onForged?.(entry.key.split(':')[0]!);
    return null;
  }
}

/** Stores may give the fields of a value in another order. */
const textOf = (key: string, value: JsonObject): string =>
  JSON.stringify(['coordination', key, Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
