import type { AuditKeyEvent } from '#domain/audit-key/index.js';
import { formatVerifier, readCheckpoint, signersOf, type Verifier } from './checkpoint.js';
import { factsOf, type StoredEvent } from './entries.js';
import { Inclusions } from './inclusion.js';
import { TreeDamagedError, type TreeFiles } from './tree-files.js';

type KeyMade = Extract<AuditKeyEvent, { readonly type: 'audit-key-made.v1' }>;

interface StoredTree {
  readonly files: TreeFiles;
  readonly size: number;
  /** Keys that may have signed its checkpoints. */
  readonly verifiers: readonly Verifier[];
}

/** Finds checkpoints that a key signed although they cover the event by which another key had replaced it. */
export class ReplacedKeys {
  /** Positions of the events, by the key that each replaced. */
  private readonly replacedAt = new Map<string, string>();

  /** An event of the log. @throws SyntaxError */
  add({ type, data, position }: StoredEvent): void {
    if (type !== ('audit-key-made.v1' satisfies KeyMade['type'])) return;
    const { replaced } = JSON.parse(data) as KeyMade['data'];
    if (replaced !== null) this.replacedAt.set(replaced, position);
  }

  /**
   * @param note whose checkpoint is in the stored tree
   * @throws TreeDamagedError unless one of the keys that signed the note was in force at its end, NoteError
   */
  async requireCurrent(note: string, { files, size, verifiers }: StoredTree): Promise<void> {
    const changes = signersOf(note, verifiers).map((signer) => this.replacedAt.get(formatVerifier(signer)));
    const [first] = changes;
    if (first === undefined || changes.includes(undefined)) return;
    const checkpoint = readCheckpoint(note);
    if (checkpoint.size === 0) return;
    const { entry } = await new Inclusions(files, size).at(checkpoint.size - 1);
    if ((factsOf(entry)?.position ?? '') < first) return;
    throw new TreeDamagedError(
      `the checkpoint of ${checkpoint.size} events is signed by a key that was replaced at position ${first.replace(/^0+(?=\d)/, '')}: whoever signed it had the older secret`,
    );
  }
}
