import { ABSENT, type Coordination, type Entry } from '#ports/coordination/port.js';
import { hashToken, type SecretKey } from '#primitives/secrets/index.js';

/** Limits on wrong passwords within the window. A network is an address, or a client's range of addresses. */
export const SIGN_IN_BOUNDS = {
  windowMs: 15 * 60_000,
  /** Wrong passwords for one account from one network. */
  pair: 10,
  /** The same while a crowd tries, from a network in which the account has never signed in. */
  pairInCrowd: 1,
  /** Wrong passwords from one network, for any accounts. */
  network: 100,
  /** Wrong passwords for one account from all networks in which it has never signed in; beyond this, these networks are a crowd. */
  crowd: 100,
  /** Wrong passwords for one account from all networks of a crowd together. */
  strangers: 1_000,
} as const;

interface Attempt {
  /** Id of the account that the e-mail address has or would have. */
  readonly userId: string;
  readonly network: string;
}

export interface TooMany {
  readonly limit: number;
  readonly windowMs: number;
  readonly endsInMs: number;
  /** Whether the limit counts the network's attempts on all accounts. */
  readonly ofNetwork: boolean;
}

/** A permitted attempt. It counts until the password is right. */
interface Counted {
  /** The password was right: the attempt no longer counts, and the account has signed in from this network. */
  succeeded(): Promise<void>;
}

/** Networks in which an account has signed in, the last ones first. */
const MAX_NETWORKS = 20;
const NETWORK_KNOWN_MS = 90 * 24 * 3_600_000;

/**
 * Counts an attempt before its password is checked. An attacker uses up the attempts of a network for an account, or
 * those of all networks that the account never used; the account's own networks have their own.
 * @returns the exceeded limit, if any
 */
export async function countAttempt(
  coordination: Coordination,
  secret: SecretKey,
  { userId, network }: Attempt,
): Promise<Counted | TooMany> {
  const { windowMs, ...bounds } = SIGN_IN_BOUNDS;
  const account = hashToken(secret, userId);
  const from = hashToken(secret, network);
  const key = {
    pair: `sign-in-attempts:pair:${account}:${from}`,
    network: `sign-in-attempts:address:${from}`,
    strangers: `sign-in-attempts:strangers:${account}`,
  };
  const isStranger = !networksIn(await coordination.get(networksKey(userId))).includes(from);
  const crowd = isStranger ? (await coordination.increment(key.strangers, 0, windowMs)).value : 0;
  const steps = [
    [key.pair, crowd < bounds.crowd ? bounds.pair : bounds.pairInCrowd],
    [key.network, bounds.network],
    ...(isStranger ? [[key.strangers, bounds.strangers] as const] : []),
  ] as const;
  const counted: string[] = [];
  const giveBack = () => Promise.all(counted.map((each) => coordination.increment(each, -1, windowMs)));
  for (const [each, limit] of steps) {
    const { applied, endsInMs } = await coordination.increment(each, 1, windowMs, limit);
    if (!applied) {
      await giveBack();
      return { limit, windowMs, endsInMs, ofNetwork: each === key.network };
    }
    counted.push(each);
  }
  return {
    async succeeded() {
      await giveBack();
      await coordination.delete(key.pair);
      if (isStranger) await remember(coordination, userId, from);
    },
  };
}

const NETWORKS = 'seen-networks:';
const networksKey = (userId: string): string => `${NETWORKS}${userId}`;

const networksIn = (entry: Entry | null): readonly string[] =>
  entry ? (entry.value as { readonly networks: readonly string[] }).networks : [];

/** How long the entry of an account's networks stays, in milliseconds; undefined for the key of another. */
export const networksLifetimeOf = (key: string): number | undefined =>
  key.startsWith(NETWORKS) ? NETWORK_KNOWN_MS : undefined;

/** Forgets the networks from which the account has signed in, also those that an earlier release has kept. */
export const forgetNetworks = (coordination: Coordination, userId: string): Promise<unknown> =>
  Promise.all([networksKey(userId), `sign-in-networks:${userId}`].map((key) => coordination.delete(key)));

/** Loses one of two concurrent writes; the next sign-in repeats it. */
async function remember(coordination: Coordination, userId: string, network: string): Promise<void> {
  const entry = await coordination.get(networksKey(userId));
  const expected = entry ? ({ kind: 'version', version: entry.version } as const) : ABSENT;
  const networks = [network, ...networksIn(entry).filter((each) => each !== network)].slice(0, MAX_NETWORKS);
  await coordination.compareAndSet(networksKey(userId), expected, { networks }, NETWORK_KNOWN_MS);
}
