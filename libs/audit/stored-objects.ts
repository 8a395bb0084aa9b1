import { createHash } from 'node:crypto';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import type { Finding } from './finding.js';
import type { StoredEvent } from './entries.js';
import type { Reference, References } from './references.js';

interface ObjectsOptions {
  readonly objects: Pick<ObjectStore, 'get' | 'list'>;
  readonly references: References;
  /** Events added since the references were collected, read after all objects: they may have removed one. */
  readonly later?: () => AsyncIterable<readonly StoredEvent[]>;
  readonly onFinding: (finding: Finding) => void;
  /** Called after each part that was read. @param done objects */
  readonly onProgress?: (done: number, total: number) => void | Promise<void>;
}

/** Compares every object with the hash that the events have of it. @returns how many are as they were stored */
export async function compareObjects(options: ObjectsOptions): Promise<number> {
  const { references, later, onFinding } = options;
  const find = ({ position, key }: Reference, problem: string) =>
    onFinding({ problem: 'object', position, what: `${key} ${problem}` });
  const all = references.all();
  const missing: Reference[] = [];
  let whole = 0;
  for (const [done, reference] of all.entries()) {
    const problem = await problemOf(options, reference, () => options.onProgress?.(done, all.length));
    if (problem === null) whole += 1;
    else if (problem === MISSING) missing.push(reference);
    else find(reference, problem);
  }
  if (later && missing.length > 0) for await (const page of later()) for (const event of page) references.add(event);
  for (const reference of missing) if (!references.mayBeGone(reference)) find(reference, MISSING);
  const strays: string[] = [];
  for (const folder of references.wholeFolders())
    for await (const { key } of options.objects.list(folder)) if (!references.has(key)) strays.push(key);
  for (const key of strays) onFinding({ problem: 'object', position: null, what: `${key} is named by no event` });
  return whole;
}

const MISSING = 'is missing';

/** null for the object that was recorded. */
async function problemOf(
  { objects }: { readonly objects: Pick<ObjectStore, 'get'> },
  { key, sha256, size }: Reference,
  onRead: () => void | Promise<void>,
): Promise<string | null> {
  const hash = createHash('sha256');
  let read = 0;
  try {
    for await (const chunk of await objects.get(key)) {
      hash.update(chunk);
      read += chunk.length;
      await onRead();
    }
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return MISSING;
    throw error;
  }
  if ((size === null || read === size) && hash.digest('hex') === sha256) return null;
  return 'is not the one that was stored: its hash is another';
}
