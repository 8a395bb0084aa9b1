import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  bundlePath,
  consistencyProof,
  edgeTiles,
  EMPTY_ROOT,
  GrowingTree,
  hashesOf,
  inclusionProof,
  leafHash,
  provesConsistency,
  provesInclusion,
  rootFrom,
  rootOf,
  tilePath,
  widthOf,
  type TileHashes,
} from './index.js';

/** Leaves and roots of the reference implementation of RFC 6962 (certificate-transparency-go, merkle tests). */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
/** Proofs of the same implementation: leaf 5 of 8, and 6 continued by 8. */
const INCLUSION_5_OF_8 = [
  'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
];
const CONSISTENCY_6_8 = [
  '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
  'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
];

const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');
const numbered = (size: number) => Array.from({ length: size }, (_, leaf) => leafHash(Buffer.from(String(leaf))));

/** A tree, and the tiles that it would have stored. */
function grown(leaves: readonly Uint8Array[]): { tree: GrowingTree; stored: Map<string, Buffer>; tiles: TileHashes } {
  const stored = new Map<string, Buffer>();
  const tree = new GrowingTree(0, []);
  for (const leaf of leaves) tree.add(leaf, (tile, bytes) => stored.set(tilePath(tile), bytes));
  for (const { tile, bytes } of tree.partial()) stored.set(tilePath(tile), bytes);
  const tiles: TileHashes = async (level, from, to) => {
    const index = Math.floor(from / 256);
    const width = widthOf(level, index, leaves.length);
    const hashes = hashesOf(stored.get(tilePath({ level, index, width }))!, width);
    return hashes.slice(from - index * 256, to - index * 256);
  };
  return { tree, stored, tiles };
}

const leaves = LEAVES.map((leaf) => leafHash(Buffer.from(leaf, 'hex')));

describe('a Merkle tree', () => {
  it('has the roots of RFC 6962', async () => {
    expect(hex(EMPTY_ROOT)).toBe(createHash('sha256').digest('hex'));
    for (const [at, root] of ROOTS.entries()) {
      const { tree, tiles } = grown(leaves.slice(0, at + 1));
      expect(hex(tree.root())).toBe(root);
      expect(hex(await rootFrom(tiles, at + 1))).toBe(root);
    }
    expect(hex(grown([]).tree.root())).toBe(hex(EMPTY_ROOT));
  });

  it('has the proofs of RFC 6962', async () => {
    const { tiles } = grown(leaves);
    expect((await inclusionProof(tiles, 5, 8)).map(hex)).toEqual(INCLUSION_5_OF_8);
    expect((await consistencyProof(tiles, 6, 8)).map(hex)).toEqual(CONSISTENCY_6_8);
  });

  it('has the same root from tiles of two levels as from its leaves', async () => {
    const many = numbered(70_000);
    const { tree, tiles, stored } = grown(many);
    expect(hex(tree.root())).toBe(hex(rootOf(many)));
    expect(hex(await rootFrom(tiles, 70_000))).toBe(hex(rootOf(many)));
    expect(stored.has('tile/2/000.p/1')).toBe(true);
    const leaf = { leaf: many[65_537]!, index: 65_537, size: 70_000, root: tree.root() };
    expect(provesInclusion(leaf, await inclusionProof(tiles, 65_537, 70_000))).toBe(true);
    const proof = await consistencyProof(tiles, 65_600, 70_000);
    const earlier = { size: 65_600, root: rootOf(many.slice(0, 65_600)) };
    expect(provesConsistency(earlier, { size: 70_000, root: tree.root() }, proof)).toBe(true);
  });

  it('proves every leaf and every earlier tree, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 600 }), fc.nat(), fc.nat(), async (size, one, other) => {
        const all = numbered(size);
        const { tree, tiles } = grown(all);
        const root = tree.root();
        const index = one % size;
        const path = await inclusionProof(tiles, index, size);
        expect(provesInclusion({ leaf: all[index]!, index, size, root }, path)).toBe(true);
        expect(provesInclusion({ leaf: leafHash(Buffer.from('x')), index, size, root }, path)).toBe(false);
        expect(provesInclusion({ leaf: all[index]!, index: size, size, root }, path)).toBe(false);
        const before = 1 + (other % size);
        const proof = await consistencyProof(tiles, before, size);
        const earlier = { size: before, root: rootOf(all.slice(0, before)) };
        expect(provesConsistency(earlier, { size, root }, proof)).toBe(true);
        const forged = { size: before, root: leafHash(Buffer.from('x')) };
        expect(provesConsistency(forged, { size, root }, proof)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('continues from its stored right edge as if it had never stopped', () => {
    const all = numbered(1_000);
    const { stored } = grown(all.slice(0, 700));
    const edge = edgeTiles(700).map((tile) => ({ ...tile, hashes: hashesOf(stored.get(tilePath(tile))!, tile.width) }));
    const resumed = new GrowingTree(700, edge);
    for (const leaf of all.slice(700)) resumed.add(leaf, () => undefined);
    expect([resumed.size, hex(resumed.root())]).toEqual([1_000, hex(rootOf(all))]);
  });

  it('names tiles as C2SP tlog-tiles does', () => {
    expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067');
    expect(tilePath({ level: 1, index: 0, width: 17 })).toBe('tile/1/000.p/17');
    expect(bundlePath({ index: 999, width: 1 })).toBe('999.p/1');
    expect(bundlePath({ index: 1000, width: 256 })).toBe('x001/000');
  });

  it('refuses a truncated tile', () => {
    expect(() => hashesOf(new Uint8Array(63), 2)).toThrow(RangeError);
  });
});
