import { sameBytes } from '../primitives.js';
import { largestPowerBelow, nodeHash, rootOf } from './hashes.js';
import { TILE_WIDTH } from './tiles.js';

/** Hashes `from` to before `to` of a level of tiles. All are of one tile. */
export type TileHashes = (level: number, from: number, to: number) => Promise<readonly Uint8Array[]>;

/** Root of a tree of `size` leaves, from its tiles. */
export const rootFrom = (tiles: TileHashes, size: number): Promise<Uint8Array> =>
  size === 0 ? Promise.resolve(rootOf([])) : subtreeRoot(tiles, 0, size);

/**
 * Inclusion proof of a leaf (RFC 9162, 2.1.3.1), from the leaf's sibling upwards.
 * @throws RangeError when the tree has no such leaf
 */
export async function inclusionProof(tiles: TileHashes, index: number, size: number): Promise<Uint8Array[]> {
  const proof: Uint8Array[] = [];
  for (const { from, to } of inclusionPath(index, size)) proof.push(await subtreeRoot(tiles, from, to));
  return proof;
}

/** LeafRange `from` to before `to`. */
interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The leaves below each hash of an inclusion proof, from the leaf's sibling upwards.
 * @throws RangeError when the tree has no such leaf
 */
export function inclusionPath(index: number, size: number): readonly LeafRange[] {
  if (index < 0 || index >= size) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  const path: LeafRange[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from);
    const isLeft = index < middle;
    path.push(isLeft ? { from: middle, to } : { from, to: middle });
    [from, to] = isLeft ? [from, middle] : [middle, to];
  }
  return path.reverse();
}

/**
 * Proof that a tree continues an earlier one (RFC 9162, 2.1.4.1).
 * @throws RangeError unless `earlier` is 1 to `size`
 */
export async function consistencyProof(tiles: TileHashes, earlier: number, size: number): Promise<Uint8Array[]> {
  if (earlier < 1 || earlier > size) throw new RangeError(`a tree of ${size} leaves continues none of ${earlier}`);
  const proof: Uint8Array[] = [];
  let [from, to] = [0, size];
  while (to !== earlier) {
    const middle = from + largestPowerBelow(to - from);
    const isLeft = earlier <= middle;
    proof.push(await (isLeft ? subtreeRoot(tiles, middle, to) : subtreeRoot(tiles, from, middle)));
    [from, to] = isLeft ? [from, middle] : [middle, to];
  }
  if (from > 0) proof.push(await subtreeRoot(tiles, from, to));
  return proof.reverse();
}

/** Whether the proof leads from the leaf's hash to the root (RFC 9162, 2.1.3.2). */
export function provesInclusion(
  { leaf, index, size, root }: { leaf: Uint8Array; index: number; size: number; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (index < 0 || index >= size) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = nodeHash(hash, sibling);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && sameBytes(hash, root);
}

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether the proof shows that the later tree has the earlier one's leaves, in the same places (RFC 9162, 2.1.4.2). */
export function provesConsistency(earlier: TreeHead, later: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (earlier.size === later.size) return proof.length === 0 && sameBytes(earlier.root, later.root);
  if (earlier.size === 0) return proof.length === 0;
  if (earlier.size > later.size || proof.length === 0) return false;
  const path = isPowerOfTwo(earlier.size) ? [earlier.root, ...proof] : proof;
  let [at, last] = [earlier.size - 1, later.size - 1];
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  let [before, after] = [path[0]!, path[0]!];
  for (const sibling of path.slice(1)) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      [before, after] = [nodeHash(sibling, before), nodeHash(sibling, after)];
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else after = nodeHash(after, sibling);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && sameBytes(before, earlier.root) && sameBytes(after, later.root);
}

/** Hash over leaves `from` to before `to`, which the largest power of two below their number divides as in the whole tree. */
export async function subtreeRoot(tiles: TileHashes, from: number, to: number): Promise<Uint8Array> {
  const size = to - from;
  if (!isPowerOfTwo(size)) {
    const middle = from + largestPowerBelow(size);
    return nodeHash(await subtreeRoot(tiles, from, middle), await subtreeRoot(tiles, middle, to));
  }
  let [level, unit] = [0, 1];
  while (unit * TILE_WIDTH <= size) [level, unit] = [level + 1, unit * TILE_WIDTH];
  return rootOf(await tiles(level, from / unit, to / unit));
}

// Arithmetic instead of bit operations: a tree may have more leaves than 32 bits count.
const half = (number: number): number => Math.floor(number / 2);
const isOdd = (number: number): boolean => number % 2 === 1;
const isPowerOfTwo = (number: number): boolean => number === 1 || (!isOdd(number) && isPowerOfTwo(number / 2));
