/**
 * Folders whose objects are encrypted under one key, by the first words of an object's name. Any other object has a key of
 * its own. An upload belongs to the version that it becomes.
 */
const FOLDERS: readonly { readonly of: RegExp; readonly scope: string }[] = [
  { of: /^datasets\/([^/]+)\/(?!feedback\/)([^/]+)\/./, scope: 'datasets/$1/$2' },
  { of: /^uploads\/([^/]+)\/([^/]+)$/, scope: 'datasets/$1/$2' },
  { of: /^evaluations\/([^/]+)\/./, scope: 'evaluations/$1' },
  { of: /^batches\/([^/]+)\/lines\/./, scope: 'batches/$1/lines' },
];
const SINGLE = /^(?:datasets\/[^/]+\/feedback|generation)\/./;

/** The name of the key that an object with rows is encrypted under; null for any other object. */
export function scopeOf(key: string): string | null {
  for (const { of, scope } of FOLDERS) {
    const found = of.exec(key);
    if (found) return scope.replace('$1', found[1]!).replace('$2', found[2] ?? '');
  }
  return SINGLE.test(key) ? key : null;
}
