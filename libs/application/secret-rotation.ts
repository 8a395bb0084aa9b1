import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import type { EventStore } from '#ports/event-store/port.js';
import type { ContentKeys } from '#ports/key-store/content-keys.js';
import { seal, unseal, type EarlierKeys, type Purpose, type SecretKey } from '#primitives/secrets/index.js';
import { bindTo } from '#log/bindings/bound-secret.js';
import { HubTokens } from './hub-tokens.js';

/** Keys kept of an earlier secret. The secret and its other keys cannot be derived from them. */
interface Kept {
  readonly fingerprint: string;
  /** By purpose, base64. */
  readonly keys: Readonly<Record<string, string>>;
}

const KEPT = 'secret/earlier';
const TRIES = 5;

/**
 * Hashes of API keys, sessions and requests cannot be recomputed without their inputs, receivers of webhooks have their secrets, the log
 * has the HMACs of contents and, on EventStoreDB, of events, and backups have one each: the keys of these purposes stay, sealed under the
 * secret in force.
 */
const STAYING: readonly Purpose[] = [
  'key-hashes',
  'sessions',
  'idempotency',
  'webhooks',
  'content-hmac',
  'log-seal',
  'backups',
];

/** The keys of earlier secrets that this one accepts. */
export const earlierKeys = async (coordination: Coordination, secret: SecretKey): Promise<readonly EarlierKeys[]> =>
  (await keptOf(coordination, secret)).kept.map(({ keys }) =>
    Object.fromEntries(Object.entries(keys).map(([purpose, key]) => [purpose, Buffer.from(key, 'base64')])),
  );

/** Fingerprints of the earlier secrets of which the key of a purpose was kept. */
export const keptFingerprints = async (
  coordination: Coordination,
  secret: SecretKey,
  purpose: Purpose,
): Promise<ReadonlySet<string>> =>
  new Set(
    (await keptOf(coordination, secret)).kept.flatMap(({ fingerprint, keys }) => (keys[purpose] ? fingerprint : [])),
  );

interface Rotated {
  /** Books of content keys that the previous secret wrapped until now. */
  readonly books: number;
  /** Clients' tokens for a hub that it sealed. */
  readonly tokens: number;
  /** Whether the log was bound to another secret until now. */
  readonly bound: boolean;
}

/**
 * Makes the previous secret dispensable: everything sealed or wrapped by it is sealed and wrapped by this one, and its
 * remaining keys are kept. A repeat covers later writes of processes that have the previous secret only. Afterwards the
 * log is bound to this secret.
 */
export async function leavePreviousSecret(
  { coordination, eventStore }: { readonly coordination: Coordination; readonly eventStore: EventStore },
  contentKeys: ContentKeys,
  secret: SecretKey,
): Promise<Rotated> {
  await keepPrevious(coordination, secret);
  const tokens = await new HubTokens(coordination, secret).sealAnew();
  const books = await contentKeys.rewrap();
  return { books, tokens, bound: await bindTo(eventStore, secret) };
}

async function keepPrevious(coordination: Coordination, secret: SecretKey): Promise<void> {
  const { previous } = secret;
  if (!previous) return;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { kept, expected } = await keptOf(coordination, secret);
    const others = kept.filter(({ fingerprint }) => ![previous.fingerprint, secret.fingerprint].includes(fingerprint));
    const keys = Object.fromEntries(STAYING.map((purpose) => [purpose, previous.derive(purpose).toString('base64')]));
    const all: readonly Kept[] = [{ fingerprint: previous.fingerprint, keys }, ...others];
    const value = { sealed: seal(secret, JSON.stringify(all), KEPT) };
    if (await coordination.compareAndSet(KEPT, expected, value)) return;
  }
  throw new Error('other processes changed the keys of earlier secrets at each try');
}

async function keptOf(coordination: Coordination, secret: SecretKey) {
  const entry = await coordination.get(KEPT);
  if (!entry) return { kept: [], expected: ABSENT };
  const text = unseal(secret, (entry.value as { sealed: string }).sealed, KEPT);
  const kept = text === null ? [] : (JSON.parse(text) as readonly Kept[]);
  return { kept, expected: { kind: 'version', version: entry.version } as const };
}
