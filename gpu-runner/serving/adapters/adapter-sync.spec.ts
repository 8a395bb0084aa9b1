import { jest } from '@jest/globals';
import fs, { existsSync, readlinkSync } from 'node:fs';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStore } from '#ports/object-store/open.js';
import { AdapterCache } from './adapter-cache.js';
import { NOTE } from './cached-on-disk.js';

// Paths of open files are read from /proc.
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

describeOnLinux('a cached adapter', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-cache-'));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(directory, { recursive: true });
  });

  it('gets its name only once its files and its note are synced, and then the name is synced', async () => {
    const objectStore = await openObjectStore({ kind: 'folder', directory: join(directory, 'objects') });
    const objectPrefix = 'jobs/j1/1/artifact';
    const files = await Promise.all(
      ['a.json', 'deeper/b.json'].map(async (name) => {
        const { sha256, size } = await objectStore.put(`${objectPrefix}/${name}`, Buffer.from('{}'));
        return { name, sha256, size };
      }),
    );
    const cached = join(directory, 'cache');
    const synced = await syncedPaths(cached, () =>
      new AdapterCache({ objectStore, directory: cached }).fetch({ id: 'j1', folder: { objectPrefix, files } }),
    );
    await objectStore.close();
    const [name] = (await readdir(cached)).filter((each) => !each.endsWith(NOTE));
    const relative = synced.map(({ path, isNamed }) => ({
      path: path.slice(cached.length).replace(/^\/[0-9a-f]{64}\.[0-9a-f-]+\.partial/, '/partial'),
      isNamed,
    }));
    expect(relative.slice(0, -1).map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/partial/a.json',
        '/partial/deeper/b.json',
        '/partial',
        '/partial/deeper',
        `/${name}${NOTE}`,
      ]),
    );
    expect(relative.filter(({ isNamed }) => isNamed)).toEqual([{ path: '', isNamed: true }]);
  });
});

/** Paths synced below a folder meanwhile, in order, and whether an adapter had its name there by then. */
async function syncedPaths(below: string, run: () => Promise<unknown>) {
  const synced: { readonly path: string; readonly isNamed: boolean }[] = [];
  const record = (fd: number): void => {
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    if (!path.startsWith(below)) return;
    const isNamed = existsSync(below) && fs.readdirSync(below).some((name) => /^[0-9a-f]{64}$/.test(name));
    synced.push({ path, isNamed });
  };
  const { fsync } = fs;
  jest.spyOn(fs, 'fsync').mockImplementation((fd, callback) => {
    record(fd);
    fsync(fd, callback);
  });
  const handle = await open('/');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called on the handle that was synced
  const { sync } = prototype;
  jest.spyOn(prototype, 'sync').mockImplementation(function (this: typeof handle) {
    record(this.fd);
    return sync.call(this);
  });
  await run();
  return synced;
}
