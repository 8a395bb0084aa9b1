import { HASH_BYTES, nodeHash, rootOf, EMPTY_ROOT } from './hashes.js';

/** Hashes of a full tile (C2SP tlog-tiles): a tile of level L has the roots of subtrees of 256^L leaves. */
export const TILE_WIDTH = 256;

export interface Tile {
  readonly level: number;
  readonly index: number;
  /** Hashes in it: 1 to 256. */
  readonly width: number;
}

/** `tile/0/x001/x234/067`, with `.p/<width>` if it is not full. */
export const tilePath = ({ level, ...place }: Tile): string => `tile/${level}/${bundlePath(place)}`;

/** The part of a path after the level: the index in groups of three digits, all but the last marked by an `x`. */
export function bundlePath({ index, width }: Omit<Tile, 'level'>): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!;
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

/** The width of a tile in a tree of `size` leaves: 0 if the tree has no such tile yet. */
export function widthOf(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** The tiles at the right edge of a tree: sufficient to add leaves and to compute the root. */
export function edgeTiles(size: number): readonly Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0, hashes = size; hashes > 0; level += 1, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const width = hashes % TILE_WIDTH;
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width });
  }
  return tiles;
}

/** Hashes of a stored tile. @throws RangeError when it does not have `width` hashes */
export function hashesOf(bytes: Uint8Array, width: number): Uint8Array[] {
  if (bytes.length !== width * HASH_BYTES)
    throw new RangeError(`a tile of ${width} hashes has ${width * HASH_BYTES} bytes, not ${bytes.length}`);
  return Array.from({ length: width }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

/** A tree that leaves are added to. Keeps its right edge only, and hands out each tile that became full. */
export class GrowingTree {
  /** Hashes of the unfinished tile of each level. */
  private readonly edge: Uint8Array[][] = [];
  private leaves: number;

  /** @param edge the tiles of `edgeTiles(size)`, in that order */
  constructor(size: number, edge: readonly (Tile & { readonly hashes: readonly Uint8Array[] })[]) {
    this.leaves = size;
    for (const { level, hashes } of edge) this.level(level).push(...hashes);
  }

  get size(): number {
    return this.leaves;
  }

  /** @param full receives each tile that this leaf made full */
  add(leaf: Uint8Array, full: (tile: Tile, bytes: Buffer) => void): void {
    let hash = leaf;
    let index = this.leaves;
    this.leaves += 1;
    for (let level = 0; ; level += 1) {
      const hashes = this.level(level);
      hashes.push(hash);
      if (hashes.length < TILE_WIDTH) return;
      index = Math.floor(index / TILE_WIDTH);
      full({ level, index, width: TILE_WIDTH }, Buffer.concat(hashes));
      hash = rootOf(hashes);
      this.edge[level] = [];
    }
  }

  /** The unfinished tiles. */
  partial(): readonly { readonly tile: Tile; readonly bytes: Buffer }[] {
    return edgeTiles(this.leaves).map((tile) => ({ tile, bytes: Buffer.concat(this.level(tile.level)) }));
  }

  root(): Uint8Array {
    let root: Uint8Array | null = null;
    for (const hashes of this.edge)
      for (const peak of peaksOf(hashes).toReversed()) root = root === null ? peak : nodeHash(peak, root);
    return root ?? EMPTY_ROOT;
  }

  private level(level: number): Uint8Array[] {
    while (this.edge.length <= level) this.edge.push([]);
    return this.edge[level]!;
  }
}

/** Roots of the perfect subtrees over the hashes of one tile, from the left, the largest first. */
function peaksOf(hashes: readonly Uint8Array[]): readonly Uint8Array[] {
  const peaks: Uint8Array[] = [];
  let from = 0;
  for (let size = TILE_WIDTH / 2; size >= 1; size /= 2) {
    if ((hashes.length & size) === 0) continue;
    peaks.push(rootOf(hashes.slice(from, from + size)));
    from += size;
  }
  return peaks;
}
