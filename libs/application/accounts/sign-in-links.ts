import { ABSENT, type Coordination, type Entry } from '#ports/coordination/port.js';
import { hashesOfToken, hashToken, newToken, type SecretKey } from '#primitives/secrets/index.js';
import { passwordGeneration } from './passwords.js';

export const LINK_LIFETIME_MS = 24 * 3_600_000;

/** Creates a token that signs its user in once, within a day. Only a keyed hash of it is stored. */
export async function createSignInToken(
  coordination: Coordination,
  secret: SecretKey,
  userId: string,
): Promise<string> {
  const token = newToken();
  await coordination.compareAndSet(
    linkKey(hashToken(secret, token)),
    ABSENT,
    {
      userId,
      generation: await passwordGeneration(coordination, userId),
      madeAt: new Date().toISOString(),
      used: false,
    },
    LINK_LIFETIME_MS,
  );
  return token;
}

/** The user of a link, and when it was made: only a member since then may use it. */
export interface RedeemedLink {
  readonly userId: string;
  /** Generation of the user's password, when the link was made and still. */
  readonly generation: number;
  /** ISO 8601. */
  readonly madeAt: string;
}

/** @returns who was named by a link that was used before or is older than the user's password; null when it is unknown or expired */
export async function redeemSignInToken(
  coordination: Coordination,
  secret: SecretKey,
  token: string,
): Promise<RedeemedLink | { readonly spentBy: string } | null> {
  let entry: Entry | null = null;
  for (const hash of hashesOfToken(secret, token)) entry ??= await coordination.get(linkKey(hash));
  if (!entry) return null;
  const { key } = entry;
  const { userId, generation, madeAt, used } = entry.value as unknown as StoredLink;
  if (Date.parse(madeAt) + LINK_LIFETIME_MS <= Date.now()) return null;
  if (used || generation !== (await passwordGeneration(coordination, userId))) return { spentBy: userId };
  // The first of two concurrent uses of a link succeeds.
  const expected = { kind: 'version', version: entry.version } as const;
  const mine = await coordination.compareAndSet(
    key,
    expected,
    { userId, generation, madeAt, used: true },
    LINK_LIFETIME_MS,
  );
  return mine ? { userId, generation, madeAt } : { spentBy: userId };
}

interface StoredLink extends RedeemedLink {
  readonly used: boolean;
}

const linkKey = (tokenHash: string): string => `sign-in-link:${tokenHash}`;
