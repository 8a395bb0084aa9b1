import { TreeDamagedError, type Leaves, type TreeFiles } from './tree-files.js';
import { bundleOf, factsOf } from './entries.js';
import { inclusionPath, subtreeRoot, type TileHashes } from './tree/proofs.js';
import { TILE_WIDTH, widthOf } from './tree/tiles.js';

export { isIncluded } from './entry.js';

/** The place of an event in a tree. */
export interface Inclusion {
  /** Number of the leaf, from 0. */
  readonly leaf: number;
  /** The tree's entry of the event: see `entryOf`. */
  readonly entry: string;
  /** 32 hexadecimal digits. */
  readonly salt: string;
  /** Hashes from the leaf's sibling upwards (RFC 9162, 2.1.3). */
  readonly proof: readonly Uint8Array[];
}

/** Bundles, tiles and roots of subtrees that are kept for the next leaf. */
const KEPT_BUNDLES = 4;
const KEPT_TILES = 16;
const KEPT_ROOTS = 2_048;

/**
 * Inclusion proofs of events in a tree of `size` leaves, from its stored files. Neighbours share most of a proof, so events in the
 * order of the log cost little more than their own hashes; memory is bounded.
 */
export class Inclusions {
  private readonly bundles = new Recent<number, Leaves>(KEPT_BUNDLES);
  private readonly tiles = new Recent<string, readonly Uint8Array[]>(KEPT_TILES);
  private readonly roots = new Recent<string, Uint8Array>(KEPT_ROOTS);
  private readonly last: number;
  /** Index of the bundle that was found last. */
  private recent = 0;

  constructor(
    private readonly files: TreeFiles,
    private readonly size: number,
  ) {
    this.last = bundleOf(size - 1);
  }

  /** Position of the last event in the tree; null for an empty tree. @throws TreeDamagedError */
  async end(): Promise<string | null> {
    return this.size === 0 ? null : this.positionOf(await this.bundle(this.last), -1);
  }

  /** null for a position that the tree does not have. @throws TreeDamagedError */
  async of(position: string): Promise<Inclusion | null> {
    const index = this.size === 0 ? null : await this.bundleAt(position);
    const bundle = index === null ? null : await this.bundle(index);
    const at = bundle === null ? -1 : bundle.entries.findIndex((entry) => entry.startsWith(`${position}\n`));
    return at < 0 ? null : this.at(bundle!.first + at);
  }

  /** @throws TreeDamagedError; RangeError when the tree has no such leaf */
  async at(leaf: number): Promise<Inclusion> {
    const path = inclusionPath(leaf, this.size);
    const { first, entries, salts } = await this.bundle(bundleOf(leaf));
    const proof: Uint8Array[] = [];
    for (const { from, to } of path)
      proof.push(await this.roots.get(`${from}-${to}`, () => subtreeRoot(this.hashes, from, to)));
    return { leaf, entry: entries[leaf - first]!, salt: salts[leaf - first]!, proof };
  }

  /** Index of the first bundle that does not end before the position; null after the tree. */
  private async bundleAt(position: string): Promise<number | null> {
    const endsBefore = async (index: number) => this.positionOf(await this.bundle(index), -1) < position;
    let [from, to] = [0, this.last + 1];
    // Events come in order, mostly consecutive.
    if (this.positionOf(await this.bundle(this.recent), 0) <= position) {
      for (from = this.recent; from <= Math.min(this.recent + 1, this.last); from += 1)
        if (!(await endsBefore(from))) return (this.recent = from);
    }
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if (await endsBefore(middle)) from = middle + 1;
      else to = middle;
    }
    return from > this.last ? null : (this.recent = from);
  }

  private positionOf({ first, entries }: Leaves, at: number): string {
    const position = factsOf(entries.at(at)!)?.position;
    if (position === undefined) throw new TreeDamagedError(`an entry of the bundle of leaf ${first} is damaged`);
    return position;
  }

  private bundle(index: number): Promise<Leaves> {
    return this.bundles.get(index, () => this.files.leaves(index, this.size));
  }

  private readonly hashes: TileHashes = async (level, from, to) => {
    const index = Math.floor(from / TILE_WIDTH);
    const width = widthOf(level, index, this.size);
    const tile = await this.tiles.get(`${level}/${index}`, () => this.files.tile({ level, index, width }));
    return tile.slice(from - index * TILE_WIDTH, to - index * TILE_WIDTH);
  };
}

/** Keeps the entries that were used last, up to a number. */
class Recent<Key, Value> {
  private readonly kept = new Map<Key, Value>();

  constructor(private readonly limit: number) {}

  async get(key: Key, make: () => Promise<Value>): Promise<Value> {
    const value = this.kept.get(key) ?? (await make());
    this.kept.delete(key);
    this.kept.set(key, value);
    if (this.kept.size > this.limit) this.kept.delete(this.kept.keys().next().value!);
    return value;
  }
}
