import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredFolder } from '#domain/training-job/index.js';
import { openObjectStore } from '#object-store/open.js';
import type { ObjectStore } from '#object-store/port.js';
import { AdapterCache } from './adapter-cache.js';

describe('adapters on local disk', () => {
  let directory: string;
  let store: ObjectStore;
  let folder: StoredFolder;
  let cached: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-cache-'));
    cached = join(directory, 'cache');
    store = await openObjectStore({ kind: 'folder', directory: join(directory, 'objects') });
    const { sha256, size } = await store.put('jobs/j1/1/artifact/a.json', Buffer.from('{}'));
    folder = { objectPrefix: 'jobs/j1/1/artifact', files: [{ name: 'a.json', sha256, size }] };
  });

  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  test('are fetched once, whoever asks at once, and found by the next process', async () => {
    const cache = new AdapterCache(store, cached);
    const paths = await Promise.all([cache.fetch(folder), cache.fetch(folder)]);
    expect(new Set(paths).size).toBe(1);
    expect(await readFile(join(paths[0], 'a.json'), 'utf8')).toBe('{}');
    await store.delete('jobs/j1/1/artifact/a.json');
    expect(await new AdapterCache(store, cached).fetch(folder)).toBe(paths[0]);
  });

  test('a file that is not the one the log names is refused, and nothing of it stays', async () => {
    const other = { ...folder, files: [{ ...folder.files[0]!, sha256: '0'.repeat(64) }] };
    await expect(new AdapterCache(store, cached).fetch(other)).rejects.toThrow(/not the file that the log names/);
    expect(await readdir(cached)).toEqual([]);
  });

  test('a fetch that failed is tried again', async () => {
    const cache = new AdapterCache(store, cached);
    await store.delete('jobs/j1/1/artifact/a.json');
    await expect(cache.fetch(folder)).rejects.toThrow(/does not exist/);
    await store.put('jobs/j1/1/artifact/a.json', Buffer.from('{}'));
    await expect(cache.fetch(folder)).resolves.toContain(cached);
  });
});
