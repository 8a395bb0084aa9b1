import { openCheckpoint, type TreeCheckpoint, type Verifier } from './checkpoint.js';
import { TreeDamagedError, type TreeFiles } from './tree-files.js';
import { consistencyProof, provesConsistency } from './tree/proofs.js';

/** Facts about the tree from outside the object store; the stored tree must agree with them. */
export interface KnownTree {
  /** The signed note of the newest checkpoint stored in coordination; null if there is none. */
  readonly signed: string | null;
  /** The newest that was kept outside (`CheckpointKeeper`); null if there is none. */
  readonly kept?: string | null;
  /** Whether the log records a signed checkpoint of this tree. */
  readonly isBegun: boolean;
}

/** @throws TreeLostError when the tree is absent or smaller than one that was signed, TreeDamagedError when it is another, NoteError */
export async function requireKnownTree(
  files: TreeFiles,
  head: TreeCheckpoint | null,
  { signed, kept = null, isBegun }: KnownTree,
  verifiers: readonly Verifier[],
): Promise<void> {
  const all = [
    { note: signed, where: 'in coordination' },
    { note: kept, where: 'outside' },
  ].flatMap(({ note, where }) => (note === null ? [] : [{ known: openCheckpoint(note, verifiers), where }]));
  if (head === null) {
    const [first] = all;
    if (first === undefined && !isBegun) return;
    const of = first === undefined ? '' : ` of ${first.known.size} events`;
    throw new TreeLostError(`there is no tree, although a checkpoint${of} was signed: ${MEND}`);
  }
  for (const { known, where } of all) {
    if (known.origin !== head.origin) continue;
    const which = `the checkpoint of ${known.size} events that was kept ${where}`;
    if (known.size > head.size)
      throw new TreeLostError(
        `the tree ends after ${head.size} events, although a checkpoint of ${known.size} was signed, and kept ${where}: ${MEND}`,
      );
    await requireContinued(files, known, head, which);
  }
}

const MEND =
  'restore the objects below audit/, or, if they are lost, begin another tree by npx anneal audit restart --reason REASON';

/**
 * @param which names the earlier one
 * @throws TreeDamagedError unless the tree contains all that the earlier checkpoint covers
 */
export async function requireContinued(
  files: TreeFiles,
  earlier: TreeCheckpoint,
  head: TreeCheckpoint,
  which: string,
): Promise<void> {
  if (earlier.origin !== head.origin) throw new TreeDamagedError(`${which} is of another log: ${earlier.origin}`);
  if (earlier.size > head.size)
    throw new TreeDamagedError(`${which} is not continued: the tree ends after ${head.size}, its end was cut off`);
  const proof = earlier.size === 0 ? [] : await consistencyProof(files.hashes(head.size), earlier.size, head.size);
  if (!provesConsistency(earlier, head, proof))
    throw new TreeDamagedError(`${which} is not continued: the tree was made anew with other events`);
}

/** The tree is absent, or smaller than one that was signed. */
export class TreeLostError extends TreeDamagedError {}
