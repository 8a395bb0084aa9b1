import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStore } from '#ports/object-store/open.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { AdapterCache } from './adapter-cache.js';
import type { AdapterReference } from '#gpu-runner/contract/inference.js';

describe('adapters on local disk', () => {
  let directory: string;
  let store: ObjectStore;
  let adapter: AdapterReference;
  let cached: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-cache-'));
    cached = join(directory, 'cache');
    store = await openObjectStore({ kind: 'folder', directory: join(directory, 'objects') });
    adapter = await stored('j1', '{}');
  });

  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const stored = async (id: string, content: string): Promise<AdapterReference> => {
    const objectPrefix = `jobs/${id}/1/artifact`;
    const { sha256, size } = await store.put(`${objectPrefix}/a.json`, Buffer.from(content));
    return { id, folder: { objectPrefix, files: [{ name: 'a.json', sha256, size }] } };
  };
  const open = (maxBytes = 1_000) => new AdapterCache({ objectStore: store, directory: cached, maxBytes });
  const folders = async () => (await readdir(cached)).filter((name) => !name.endsWith('.json'));

  it('are fetched once for simultaneous requests, and found by the next process', async () => {
    const cache = open();
    const paths = await Promise.all([cache.fetch(adapter), cache.fetch(adapter)]);
    expect(new Set(paths).size).toBe(1);
    expect(await readFile(join(paths[0], 'a.json'), 'utf8')).toBe('{}');
    expect([cache.has(adapter), cache.ids()]).toEqual([true, ['j1']]);
    await store.delete('jobs/j1/1/artifact/a.json');
    expect(await open().fetch(adapter)).toBe(paths[0]);
  });

  it('are refused if a file is not the one that the log names, and leave nothing', async () => {
    const files = [{ ...adapter.folder.files[0]!, sha256: '0'.repeat(64) }];
    const other = { ...adapter, folder: { ...adapter.folder, files } };
    await expect(open().fetch(other)).rejects.toThrow(/the stored a.json is damaged/);
    expect(await readdir(cached)).toEqual([]);
  });

  it('are fetched again after a failure', async () => {
    const cache = open();
    await store.delete('jobs/j1/1/artifact/a.json');
    await expect(cache.fetch(adapter)).rejects.toThrow(/a.json is no longer stored/);
    expect(cache.has(adapter)).toBe(false);
    await stored('j1', '{}');
    await expect(cache.fetch(adapter)).resolves.toContain(cached);
  });

  it('are removed beyond the budget, least recently used first, but never while in use', async () => {
    const cache = open(250);
    const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((id) => stored(id, id.repeat(100))));
    await cache.fetch(a!);
    await cache.fetch(b!);
    await cache.use(a!, async (path) => {
      await cache.fetch(c!);
      expect(await readFile(join(path, 'a.json'), 'utf8')).toBe('a'.repeat(100));
    });
    while ((await folders()).length > 2) await new Promise((resolve) => setImmediate(resolve));
    expect(cache.ids()).toEqual(['c', 'a']);
    await cache.fetch(a!);
    await cache.fetch(d!);
    expect(new Set(cache.ids())).toEqual(new Set(['d', 'a']));
  });

  it('of a deleted model are removed, on disk and for the next process', async () => {
    const cache = open();
    const other = await stored('j2', '{}');
    const [path, kept] = [await cache.fetch(adapter), await cache.fetch(other)];
    expect(await cache.forget('j1')).toEqual([path]);
    expect((await readdir(cached)).map((name) => join(cached, name)).toSorted()).toEqual([kept, `${kept}.note.json`]);
    expect(open().has(adapter)).toBe(false);
  });

  it('are found and removed if their weights were deleted during an outage', async () => {
    const other = await stored('j2', '{}');
    const before = open();
    const [path] = [await before.fetch(adapter), await before.fetch(other)];
    await store.deletePrefix('jobs/j1/');
    const after = open();
    expect(await after.sweep()).toEqual([path]);
    expect([await after.sweep(), after.ids()]).toEqual([[], ['j2']]);
  });

  it('are removed at the next start if they are incomplete', async () => {
    const path = await open().fetch(adapter);
    await rm(`${path}.note.json`);
    await mkdir(join(cached, 'half.partial'));
    await writeFile(join(cached, `${'0'.repeat(64)}.note.json`), '{');
    const next = open();
    expect(await next.forget('nothing')).toEqual([]);
    expect(await readdir(cached)).toEqual([]);
  });
});
