import type { Application } from '#application/application.js';
import type { ObjectKeys, Work } from '#gpu-runner/contract/work.js';
import { scopeOf } from '#ports/object-store/encrypted/index.js';

/** The keys of the objects that a runner reads for its work, and of what it stores; null where none of them is encrypted. */
export async function objectKeysOf({ objectKeys }: Application, work: Work): Promise<ObjectKeys | null> {
  if (!objectKeys) return null;
  const found: Record<string, string> = {};
  const add = (name: string, key: Uint8Array | null) => {
    if (key) found[name] = Buffer.from(key).toString('base64');
  };
  for (const name of namesIn(work)) add(name, await objectKeys.named(name));
  if (work.kind === 'evaluation') {
    const name = `evaluations/${work.request.evaluationId}`;
    add(name, await objectKeys.make(name));
  }
  return Object.keys(found).length > 0 ? found : null;
}

/** The names of the keys of all objects that the work tells of. */
function namesIn(value: unknown): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return new Set();
  const { key, objectKey } = value as { readonly key?: unknown; readonly objectKey?: unknown };
  const own = [key, objectKey].flatMap((each) => (typeof each === 'string' ? (scopeOf(each) ?? []) : []));
  return new Set([...own, ...Object.values(value).flatMap((part) => [...namesIn(part)])]);
}
