import { openCheckpoint, type Verifier } from './checkpoint.js';
import { requireKnownTree, type KnownTree } from './continuity.js';
import { bundleOf, entryOf, factsOf, leafOf, saltOf, type StoredEvent } from './entries.js';
import { signedNote, type LogSigner } from './signing.js';
import { TreeDamagedError, type TreeFiles } from './tree-files.js';
import { edgeTiles, GrowingTree, TILE_WIDTH, type Tile } from './tree/tiles.js';

/** Events of the log after a position, in order, page by page, as stored. */
type ReadBehind = (position: string | null) => AsyncIterable<readonly StoredEvent[]>;

interface BuilderOptions {
  readonly files: TreeFiles;
  readonly read: ReadBehind;
  readonly signer: LogSigner;
  /** All keys that may have signed the last checkpoint. */
  readonly verifiers: readonly Verifier[];
  /** See `saltOf`. */
  readonly saltKey: string;
  /** The tree that must exist; default: any, or none. */
  readonly known?: KnownTree;
  readonly signal?: AbortSignal;
}

export interface PublishedHead {
  readonly size: number;
  /** Position of the last event in the tree; null for an empty tree. */
  readonly position: string | null;
  readonly note: string;
}

/** Leaves after which a checkpoint is signed before the log's end is reached, so that a stop does not lose all of them. */
const CHECKPOINT_EVERY = 100_000;

/**
 * Adds the log's events to the tree, after the last one that its checkpoint covers, and signs a checkpoint. Leaves that
 * a crashed process wrote after the checkpoint are written again.
 * @returns the newest checkpoint; null while log and tree are empty
 * @throws TreeDamagedError when the stored tree does not match its signed checkpoint, TreeLostError when it is missing:
 * nothing is signed then
 */
export async function extendTree(options: BuilderOptions): Promise<PublishedHead | null> {
  const { files, signal } = options;
  let published = await publishedHead(options);
  const grower = await TreeGrower.resume(options, published);
  for await (const page of options.read(published?.position ?? null)) {
    for (const event of page) await grower.add(event);
    if (grower.size - (published?.size ?? 0) >= CHECKPOINT_EVERY) published = await grower.publish(published);
    if (signal?.aborted) break;
  }
  return grower.size === (published?.size ?? 0) ? published : grower.publish(published);

  /** The stored checkpoint, which another process may have changed since. */
  async function publishedHead({ verifiers, known }: BuilderOptions): Promise<PublishedHead | null> {
    const note = await files.checkpoint();
    const head = note === null ? null : openCheckpoint(note, verifiers);
    if (known) await requireKnownTree(files, head, known, verifiers);
    if (note === null || head === null) return null;
    const { size } = head;
    if (size === 0) return { size, position: null, note };
    const { entries } = await files.leaves(bundleOf(size - 1), size);
    const position = factsOf(entries.at(-1)!)?.position;
    if (position === undefined) throw new TreeDamagedError(`the entry of leaf ${size - 1} is damaged`);
    return { size, position, note };
  }
}

class TreeGrower {
  private position: string | null = null;
  private readonly full: Tile[] = [];
  /** Tiles to write, from a leaf that made them full. */
  private filled: { readonly tile: Tile; readonly bytes: Buffer }[] = [];

  private constructor(
    private readonly options: BuilderOptions,
    private readonly tree: GrowingTree,
    /** Entries and salts of the unfinished bundle. */
    private entries: string[],
    private salts: string[],
  ) {}

  /** @throws TreeDamagedError */
  static async resume(options: BuilderOptions, head: PublishedHead | null): Promise<TreeGrower> {
    if (head === null) return new TreeGrower(options, new GrowingTree(0, []), [], []);
    const { files, verifiers } = options;
    const { size, root } = openCheckpoint(head.note, verifiers);
    const edge = await Promise.all(edgeTiles(size).map(async (tile) => ({ ...tile, hashes: await files.tile(tile) })));
    const tree = new GrowingTree(size, edge);
    if (Buffer.compare(tree.root(), root) !== 0)
      throw new TreeDamagedError(`the tiles have another root than the checkpoint of ${size} events`);
    if (size % TILE_WIDTH === 0) return new TreeGrower(options, tree, [], []);
    const { entries, salts } = await files.leaves(bundleOf(size), size);
    return new TreeGrower(options, tree, [...entries], [...salts]);
  }

  get size(): number {
    return this.tree.size;
  }

  async add(event: StoredEvent): Promise<void> {
    const salt = saltOf(this.options.saltKey, event);
    const entry = entryOf(event, salt);
    const bundle = bundleOf(this.size);
    this.entries.push(entry);
    this.salts.push(salt);
    this.position = event.position;
    this.tree.add(leafOf(entry), (tile, bytes) => this.filled.push({ tile, bytes }));
    if (this.filled.length === 0) return;
    await this.options.files.putLeaves(bundle, this.entries, this.salts);
    for (const { tile, bytes } of this.filled) await this.options.files.putTile(tile, bytes);
    this.full.push(...this.filled.map(({ tile }) => tile));
    [this.entries, this.salts, this.filled] = [[], [], []];
  }

  /** @param before the checkpoint that this one replaces @throws TreeReplacedError when another process has replaced it */
  async publish(before: PublishedHead | null): Promise<PublishedHead> {
    const { files, signer } = this.options;
    const { size } = this;
    if (this.entries.length > 0) await files.putLeaves(bundleOf(size), this.entries, this.salts);
    for (const { tile, bytes } of this.tree.partial()) await files.putTile(tile, bytes);
    const note = await signedNote({ origin: signer.name, size, root: this.tree.root() }, signer);
    if ((await files.checkpoint()) !== (before?.note ?? null)) throw new TreeReplacedError();
    await files.putCheckpoint(note);
    for (const tile of this.full.splice(0)) await files.removePartial(tile);
    return { size, position: this.position, note };
  }
}

/** Another process has signed a checkpoint: it leads now. */
export class TreeReplacedError extends Error {
  override readonly name = 'TreeReplacedError';
  constructor() {
    super('another process extends the audit tree');
  }
}
