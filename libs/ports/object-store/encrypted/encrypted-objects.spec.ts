import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderObjectStore } from '../folder/index.js';
import { objectStoreContract } from '../contract.js';
import {
  ObjectDamagedError,
  ObjectNotFoundError,
  ObjectTooLargeError,
  type ByteRange,
  type ServedObjectStore,
} from '../port.js';
import { DamagedObjectError, requireWhole } from '../whole.js';
import { below, KeysInMemory } from './encrypted.fixture.js';
import { encryptedObjects } from './index.js';

const BLOCK = 64 * 1024;
const folderStore = (directory: string) =>
  new FolderObjectStore({ directory, signingKeys: [Buffer.alloc(32, 7)], publicUrl: 'https://anneal.example.org' });

objectStoreContract('folder, encrypted', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'objects-'));
  const store = below('datasets/w/v/', encryptedObjects(folderStore(directory), new KeysInMemory()));
  return { store, remove: () => rm(directory, { recursive: true, maxRetries: 5 }) };
});

describe('encrypted objects', () => {
  let directory: string;
  let folder: FolderObjectStore;
  let keys: KeysInMemory;
  let store: ServedObjectStore;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'objects-'));
    folder = folderStore(directory);
    keys = new KeysInMemory();
    store = encryptedObjects(folder, keys) as ServedObjectStore;
  });
  afterEach(() => rm(directory, { recursive: true, maxRetries: 5 }));

  const ROWS = 'datasets/w/v/rows-1.jsonl';
  const fileOf = (key: string) => join(directory, 'objects', key);
  const read = async (key: string, range?: ByteRange) =>
    Buffer.concat(await Array.fromAsync(await store.get(key, range)));
  const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
  async function* inChunks(content: Buffer, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
  }
  const addressed = async (key: string, maxBytes: number) => {
    const url = new URL(await store.presignPut(key, { expiresInSeconds: 60, maxBytes }));
    return { key: url.pathname.slice('/objects/'.length), query: Object.fromEntries(url.searchParams) };
  };

  it('have any range of any content as it was, however it came', async () => {
    const sizes = fc.oneof(
      fc.integer({ min: 0, max: 3 * BLOCK }),
      fc.constantFrom(BLOCK - 33, BLOCK - 32, BLOCK - 31, BLOCK, 2 * BLOCK - 32, 2 * BLOCK),
    );
    const ranges = fc.array(fc.tuple(sizes, sizes), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1000, max: 200_000 }), ranges, async (size, chunk, pairs) => {
        const content = Buffer.alloc(size, 'rows of a person, ');
        const stored = await store.put(ROWS, inChunks(content, chunk));
        expect(stored).toMatchObject({ size, sha256: sha256(content) });
        expect(await store.stat(ROWS)).toMatchObject({ size });
        expect((await read(ROWS)).equals(content)).toBe(true);
        for (const [start, end] of pairs)
          expect((await read(ROWS, { start, end })).equals(content.subarray(start, Math.max(start, end)))).toBe(true);
        const bytes = await readFile(fileOf(ROWS));
        expect(stored.stored).toEqual({ size: bytes.length, sha256: sha256(bytes) });
        // A few bytes may stand in any ciphertext by chance.
        expect(size < 16 || !bytes.includes(content.subarray(0, 64))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('of the same content differ in every byte that could tell of it', async () => {
    const [one, other] = [await store.put(ROWS, Buffer.from('same')), await store.put(`${ROWS}2`, Buffer.from('same'))];
    expect(one.sha256).toBe(other.sha256);
    expect(one.stored!.sha256).not.toBe(other.stored!.sha256);
  });

  it.each([
    ['datasets/w/v/', ['datasets/w/v/rows-1.jsonl', 'datasets/w/v/source-2'], 'datasets/w/v2/rows-1.jsonl'],
    ['evaluations/e/', ['evaluations/e/1/predictions.jsonl'], 'evaluations/e2/1/predictions.jsonl'],
    ['batches/b/lines/', ['batches/b/lines/1'], 'batches/b2/lines/1'],
    ['generation/w/j/', ['generation/w/j/rows-1.jsonl'], 'generation/w/j2/rows-1.jsonl'],
  ])('of %s are gone from every copy once it was deleted, and no others', async (prefix, gone, kept) => {
    for (const key of [...gone, kept]) await store.put(key, Buffer.from(key));
    const copies = await Promise.all(gone.map(async (key) => [key, await readFile(fileOf(key))] as const));
    await store.deletePrefix(prefix);
    for (const [key, bytes] of copies) {
      await folder.put(key, bytes);
      await expect(store.get(key)).rejects.toThrow(ObjectNotFoundError);
      expect(await store.stat(key)).toBeNull();
    }
    expect(String(await read(kept))).toBe(kept);
  });

  it.each(['datasets/w/feedback/f/rows.jsonl', 'generation/w/labelled/l/rows.jsonl'])(
    'have a key of their own where they have no folder: %s',
    async (key) => {
      await store.put(key, Buffer.from('rows'));
      await store.put(`${key}2`, Buffer.from('others'));
      const bytes = await readFile(fileOf(key));
      await store.delete(key);
      await folder.put(key, bytes);
      await expect(store.get(key)).rejects.toThrow(ObjectNotFoundError);
      expect(String(await read(`${key}2`))).toBe('others');
    },
  );

  it.each([
    ['the last block was cut off', (bytes: Buffer) => bytes.subarray(0, 48 + 2 * (BLOCK + 16))],
    [
      'two blocks changed places',
      (bytes: Buffer) => {
        const block = (index: number) => bytes.subarray(48 + index * (BLOCK + 16), 48 + (index + 1) * (BLOCK + 16));
        return Buffer.concat([bytes.subarray(0, 48), block(1), block(0), block(2)]);
      },
    ],
    [
      'a byte was changed',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 100), Buffer.from('x'), bytes.subarray(101)]),
    ],
  ])('are damaged where %s', async (_, damage) => {
    const stored = await store.put(ROWS, Buffer.alloc(2.5 * BLOCK, 'rows'));
    await writeFile(fileOf(ROWS), damage(await readFile(fileOf(ROWS))));
    await expect(read(ROWS)).rejects.toThrow(ObjectDamagedError);
    await expect(requireWhole(store, stored)).rejects.toThrow(DamagedObjectError);
  });

  it('stay as they are where they have no rows, and where none is to be encrypted', async () => {
    await store.put('jobs/j/1/weights', Buffer.from('weights'));
    expect(await readFile(fileOf('jobs/j/1/weights'), 'utf8')).toBe('weights');
    keys.encrypts = false;
    expect((await store.put(ROWS, Buffer.from('plain'))).stored).toBeUndefined();
    expect(await readFile(fileOf(ROWS), 'utf8')).toBe('plain');
  });

  it('are read as they are where they were stored before', async () => {
    await folder.put(ROWS, Buffer.from('plain'));
    expect(String(await read(ROWS, { start: 2 }))).toBe('ain');
    expect(await store.stat(ROWS)).toMatchObject({ size: 5 });
  });

  describe('uploads', () => {
    it('are encrypted as they come, and sealed without being written again', async () => {
      const content = Buffer.alloc(3 * BLOCK, 'uploaded');
      const accepted = await store.acceptPut(await addressed('uploads/w/v', content.length), inChunks(content, 999));
      expect(accepted).toMatchObject({ size: content.length, sha256: sha256(content) });
      expect((await readFile(fileOf('uploads/w/v'))).includes('uploaded')).toBe(false);
      const sealed = await store.seal('uploads/w/v', 'datasets/w/v/source-1', { maxBytes: content.length });
      expect(sealed).toEqual({ ...accepted, key: 'datasets/w/v/source-1' });
      expect((await read('datasets/w/v/source-1')).equals(content)).toBe(true);
    });

    it('may be exactly as large as their address allows, which is told in bytes of the content', async () => {
      const address = await addressed('uploads/w/v', 100);
      await store.acceptPut(address, inChunks(Buffer.alloc(100), 50));
      await expect(store.acceptPut(address, inChunks(Buffer.alloc(101), 50))).rejects.toEqual(
        new ObjectTooLargeError(100),
      );
      await expect(store.seal('uploads/w/v', 'datasets/w/v/source-1', { maxBytes: 99 })).rejects.toEqual(
        new ObjectTooLargeError(99),
      );
    });

    it('by a forged address make no key', async () => {
      const { key, query } = await addressed('uploads/w/v', 100);
      const forged = { key: key.replace('/v', '/other'), query };
      await expect(store.acceptPut(forged, inChunks(Buffer.alloc(1), 1))).rejects.toThrow('address');
      expect([...keys.keys.keys()]).toEqual([]);
    });

    it('that came before are encrypted as they are sealed', async () => {
      await folder.put('uploads/w/v', Buffer.from('plain'));
      const sealed = await store.seal('uploads/w/v', 'datasets/w/v/source-1');
      expect(sealed).toMatchObject({ size: 5, sha256: sha256(Buffer.from('plain')) });
      expect(String(await read('datasets/w/v/source-1'))).toBe('plain');
      expect((await readFile(fileOf('datasets/w/v/source-1'))).includes('plain')).toBe(false);
    });
  });
});
