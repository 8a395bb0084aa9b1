import { Readable } from 'node:stream';
import fc from 'fast-check';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { openCheckpoint } from './checkpoint.js';
import { entryOf, leafOf } from './entries.js';
import { Inclusions, isIncluded } from './inclusion.js';
import { AuditedLog, signer } from './log.fixture.js';
import { storedPages } from './stored-pages.js';
import { TreeFiles } from './tree-files.js';
import { GrowingTree, inclusionProof, TILE_WIDTH, type Tile } from './tree/index.js';

describe('the inclusion proofs of a log', () => {
  let log: AuditedLog;
  beforeAll(async () => {
    log = await AuditedLog.open();
    await log.appendMany('things-1', 900);
    await log.extend();
  });
  afterAll(() => log.close());

  const head = async () => openCheckpoint((await log.files.checkpoint())!, [signer]);

  it('lead from each event to the root of the checkpoint, in any order', async () => {
    const { size, root } = await head();
    const inclusions = new Inclusions(log.files, size);
    const events = (await Array.fromAsync(storedPages(log.store, null))).flat();
    for (const event of [...events, ...events.toReversed()]) {
      const found = (await inclusions.of(event.position))!;
      expect(found.entry).toBe(entryOf(event, found.salt));
      expect(isIncluded(found, { size, root })).toBe(true);
    }
    expect(await inclusions.end()).toBe(events.at(-1)!.position);
    expect(await inclusions.of('9999999999999999')).toBeNull();
    expect(await new Inclusions(log.files, 0).of(events[0]!.position)).toBeNull();
  });

  it('are those of RFC 9162 for a tree of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 900 }), fc.array(fc.nat(), { minLength: 1 }), async (size, leaves) => {
        const { files, root } = await grown(size);
        const inclusions = new Inclusions(files, size);
        for (const leaf of leaves.map((each) => each % size)) {
          const found = await inclusions.at(leaf);
          expect(found.proof).toEqual(await inclusionProof(files.hashes(size), leaf, size));
          expect(isIncluded(found, { size, root })).toBe(true);
          expect(isIncluded({ ...found, entry: `${found.entry} ` }, { size, root })).toBe(false);
          expect(isIncluded({ ...found, leaf: leaf + 1 }, { size, root })).toBe(false);
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** A tree of numbered entries, in memory. */
async function grown(size: number): Promise<{ readonly files: TreeFiles; readonly root: Uint8Array }> {
  const stored = new Map<string, Buffer>();
  const files = new TreeFiles({
    async get(key: string) {
      const bytes = stored.get(key);
      if (bytes === undefined) throw new ObjectNotFoundError(key);
      return Readable.from([bytes]);
    },
    async put(key: string, bytes: Buffer) {
      stored.set(key, bytes);
    },
  } as unknown as ObjectStore);
  const entries = Array.from({ length: size }, (_, leaf) => `${String(leaf).padStart(16, '0')}\ns\n${leaf}\nt\nd`);
  for (let first = 0; first < size; first += TILE_WIDTH) {
    const some = entries.slice(first, first + TILE_WIDTH);
    const salts = some.map(() => '00'.repeat(16));
    await files.putLeaves(first / TILE_WIDTH, some, salts);
  }
  const tree = new GrowingTree(0, []);
  const tiles: { readonly tile: Tile; readonly bytes: Buffer }[] = [];
  for (const entry of entries) tree.add(leafOf(entry), (tile, bytes) => tiles.push({ tile, bytes }));
  for (const { tile, bytes } of [...tiles, ...tree.partial()]) await files.putTile(tile, bytes);
  return { files, root: tree.root() };
}
