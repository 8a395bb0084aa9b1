import type { ObjectStore } from '#ports/object-store/port.js';
import { openCheckpoint, NoteError, type Verifier } from './checkpoint.js';
import { TreeFiles, TREE_PREFIX } from './tree-files.js';

/**
 * Moves the files of a tree that the operator gave up to `audit-replaced/<number>/`, to make room for the next one.
 * Does nothing if the files are those of the new tree already.
 * @param tree number of the new tree, from 2
 */
export async function putAside(
  objects: ObjectStore,
  {
    tree,
    origin,
    verifiers,
  }: { readonly tree: number; readonly origin: string; readonly verifiers: readonly Verifier[] },
): Promise<void> {
  const note = await new TreeFiles(objects).checkpoint();
  if (note !== null && originOf(note, verifiers) === origin) return;
  for await (const { key } of objects.list(TREE_PREFIX)) {
    const place = `audit-replaced/${tree - 1}/${key.slice(TREE_PREFIX.length)}`;
    // After a crash, the file there may belong to the new tree.
    if ((await objects.stat(place)) === null) await objects.seal(key, place);
  }
  await objects.deletePrefix(TREE_PREFIX);
}

function originOf(note: string, verifiers: readonly Verifier[]): string | null {
  try {
    return openCheckpoint(note, verifiers).origin;
  } catch (error) {
    if (error instanceof NoteError) return null;
    throw error;
  }
}
