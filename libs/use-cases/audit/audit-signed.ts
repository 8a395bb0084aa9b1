import { ABSENT, type Coordination } from '#ports/coordination/port.js';

/**
 * The newest checkpoint of a tree, kept outside the object store: an attacker who removes the tree, or replaces it with
 * an older one, must change coordination too.
 */
const keyOf = (origin: string): string => `audit-signed:${origin}`;

/**
 * The signed note; null if none was stored.
 * @param origin name of the tree
 */
export async function lastSigned(coordination: Coordination, origin: string): Promise<string | null> {
  const entry = await coordination.get(keyOf(origin));
  return entry === null ? null : (entry.value as string);
}

/** Stores the note, unless another process has stored one since. */
export async function keepSigned(coordination: Coordination, origin: string, note: string): Promise<void> {
  const entry = await coordination.get(keyOf(origin));
  const expected = entry === null ? ABSENT : ({ kind: 'version', version: entry.version } as const);
  await coordination.compareAndSet(keyOf(origin), expected, note);
}
