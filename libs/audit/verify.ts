import { LogDamagedError } from '#ports/event-store/port.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { NoteError, openCheckpoint, readCheckpoint, type TreeCheckpoint, type Verifier } from './checkpoint.js';
import { Calls, type ComparedCalls, type ContentAccess } from './calls.js';
import { requireContinued } from './continuity.js';
import { requireCosigned } from './cosignature.js';
import { compare, type Compared } from './comparison.js';
import type { Finding } from './finding.js';
import { noting, type StoredEvent } from './entries.js';
import type { KeptCheckpoints } from './kept-checkpoints.js';
import { References } from './references.js';
import { ReplacedKeys } from './replaced-keys.js';
import { compareObjects } from './stored-objects.js';
import { TreeDamagedError, TreeFiles } from './tree-files.js';

export interface VerifyOptions {
  /** All events of the log, in its order, as they were stored. */
  readonly events: AsyncIterable<readonly StoredEvent[]> | Iterable<readonly StoredEvent[]>;
  readonly objects: Pick<ObjectStore, 'get' | 'list' | 'put' | 'deletePrefix'>;
  /** Public keys that may have signed the checkpoints. */
  readonly verifiers: readonly Verifier[];
  /** Witnesses that must have cosigned the checkpoint. */
  readonly witnesses?: readonly Verifier[];
  /** Checkpoints that were kept elsewhere. */
  readonly earlier?: readonly string[];
  /** What a place has of it to which checkpoints are copied. */
  readonly kept?: KeptCheckpoints | null;
  /** Certificates of time-stamp authorities, in PEM. */
  readonly authorities?: readonly string[];
  /** Opens the contents of calls; default: contents are not compared with their calls. */
  readonly contents?: ContentAccess | null;
  readonly onFinding: (finding: Finding) => void;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Verified extends Compared, ComparedCalls {
  /** Events under the checkpoint. */
  readonly size: number;
  /** Objects whose content is the one that was recorded. */
  readonly objects: number;
  /** Trees that the operator gave up before this one; `audit-tree-restarted.v1` has why. */
  readonly restarts: number;
  /** Events that were on the log when this tree began; null if the log does not say. */
  readonly begunAfter: number | null;
  /**
   * Events for which something outside vouches: the largest of the checkpoints that were kept, or a witness, which vouches for all.
   * The key alone does not: who has the installation's secret can sign another log with it.
   */
  readonly vouched: number;
  /** Checkpoints that were kept, and compared with the tree. */
  readonly kept: number;
  /** The newest time stamp of a checkpoint; null without one. */
  readonly stamped: {
    readonly size: number;
    readonly time: string;
    readonly by: string;
    readonly trusted: boolean;
  } | null;
}

/** Verifies a log, its tree and its objects by public keys alone. Changes nothing. */
export async function verifyLog(options: VerifyOptions): Promise<Verified> {
  const { verifiers, onFinding, onProgress } = options;
  const files = new TreeFiles(options.objects);
  const damaged = (error: unknown) => {
    if (!(error instanceof NoteError || error instanceof TreeDamagedError)) throw error;
    onFinding({ problem: 'tree', position: null, what: error.message });
  };
  let head: TreeCheckpoint = { origin: '', size: 0, root: new Uint8Array() };
  /** Notes whose signature and place in the tree hold. */
  const notes: string[] = [];
  let [vouched, kept] = [0, 0];
  let stamped: Verified['stamped'] = null;
  try {
    const note = await files.checkpoint();
    if (note === null) throw new TreeDamagedError('there is no checkpoint: nothing was signed yet, or it was removed');
    // The log is compared with a tree that nobody is known to have signed, too: that shows what is there and what is missing.
    head = readCheckpoint(note);
    if (verifiers.length === 0)
      throw new NoteError(
        'a public key is needed to check who signed the checkpoint: give one, since the log names none',
      );
    openCheckpoint(note, verifiers);
    requireCosigned(note, options.witnesses ?? []);
    if (options.witnesses?.length) vouched = head.size;
    notes.push(note);
    for (const note of options.earlier ?? []) {
      const earlier = openCheckpoint(note, verifiers);
      await requireContinued(files, earlier, head, `the given checkpoint of ${earlier.size} events`);
      notes.push(note);
      vouched = Math.max(vouched, earlier.size);
    }
    const { newest = null, heads = [] } = options.kept ?? {};
    if (newest !== null) {
      openCheckpoint(newest, verifiers);
      notes.push(newest);
    }
    for (const earlier of heads) {
      await requireContinued(files, earlier, head, `the kept checkpoint of ${earlier.size} events`);
      kept += 1;
      vouched = Math.max(vouched, earlier.size);
    }
    for await (const { note, answer } of files.timestamps(options.objects)) {
      const earlier = openCheckpoint(note, verifiers);
      await requireContinued(files, earlier, head, `the stamped checkpoint of ${earlier.size} events`);
      const { verifyTimestamp } = await import('./timestamps.js');
      const { time, by, isTrusted } = await verifyTimestamp(answer, note, options.authorities ?? []);
      stamped = { size: earlier.size, time: time.toISOString(), by, trusted: isTrusted };
    }
  } catch (error) {
    damaged(error);
  }
  const references = new References();
  const replacedKeys = new ReplacedKeys();
  const calls = new Calls(options.objects, options.contents ?? null);
  let [events, restarts] = [0, 0];
  let begunAfter: number | null = null;
  const unreadable = ({ position, problem }: LogDamagedError) =>
    onFinding({ problem: 'changed', position, what: `the file cannot be read: ${problem}` });
  const counts = await compare({
    ...{ files, head, onFinding },
    events: noting(untilDamaged(options.events, unreadable), (event) => {
      if (event.type === 'audit-tree-restarted.v1') restarts += 1;
      if (event.type === 'audit-tree-begun.v1') begunAfter = events;
      events += 1;
      references.add(event);
      replacedKeys.add(event);
      return calls.add(event);
    }),
    onProgress: (done) => onProgress?.(done, head.size),
  });
  for (const note of notes)
    await replacedKeys.requireCurrent(note, { files, size: head.size, verifiers }).catch(damaged);
  const objects = await compareObjects({ objects: options.objects, references, onFinding });
  return { ...counts, ...calls.end(onFinding), size: head.size, objects, restarts, begunAfter, vouched, kept, stamped };
}

/** The events up to a place that cannot be read; what the tree has of later ones is missing then. */
async function* untilDamaged(
  events: VerifyOptions['events'],
  onDamage: (error: LogDamagedError) => void,
): AsyncGenerator<readonly StoredEvent[]> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof LogDamagedError)) throw error;
    onDamage(error);
  }
}
