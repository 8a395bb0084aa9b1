import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Settings, SettingsError } from '#settings/index.js';
import { compose } from './compose.js';

describe('the data folder', () => {
  let parent: string;
  let dataDir: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'anneal-private-'));
    dataDir = join(parent, 'data');
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  const start = () => compose(new Settings({ dataDir, durability: 'normal' }));
  async function modes(): Promise<Record<string, string>> {
    const names = ['.', ...(await readdir(dataDir, { recursive: true }))];
    const entries = names.map(async (name) => {
      const found = await stat(join(dataDir, name));
      return [name, `${found.isDirectory() ? 'folder' : 'file'} ${(found.mode & 0o777).toString(8)}`];
    });
    return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
  }

  it('is accessible only to its own user, with everything in it, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      const system = await start();
      await system.objectStore.put('a/b', Buffer.from('content'));
      const found = await modes();
      expect(new Set(Object.values(found))).toEqual(new Set(['folder 700', 'file 600']));
      expect(Object.keys(found)).toEqual(expect.arrayContaining(['log.db', 'log.db-wal', 'secret.key', 'read']));
      await system.close();
    } finally {
      process.umask(umask);
    }
  });

  it('is closed at start if it was left open', async () => {
    await (await start()).close();
    const outside = join(parent, 'outside');
    await writeFile(outside, 'not ours');
    await chmod(outside, 0o644);
    await symlink(outside, join(dataDir, 'link'));
    await mkdir(join(dataDir, 'objects', 'jobs'), { recursive: true });
    await writeFile(join(dataDir, 'objects', 'jobs', 'weights'), 'x');
    for (const name of await readdir(dataDir, { recursive: true })) {
      const path = join(dataDir, name);
      if (name !== 'link') await chmod(path, (await stat(path)).isDirectory() ? 0o755 : 0o644);
    }
    await chmod(dataDir, 0o755);
    const system = await start();
    const { link: _link, ...found } = await modes();
    await system.close();
    expect(new Set(Object.values(found))).toEqual(new Set(['folder 700', 'file 600']));
    expect((await stat(outside)).mode & 0o777).toBe(0o644);
  });

  it('is refused and unchanged if it is open and contains other files', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'letter.txt'), 'Dear');
    await chmod(join(dataDir, 'letter.txt'), 0o644);
    await chmod(dataDir, 0o755);
    await expect(start()).rejects.toThrow(SettingsError);
    await expect(start()).rejects.toThrow(
      /^ANNEAL_DATA_DIR is open to other users \(mode 0755\) and holds other files/,
    );
    expect(await modes()).toEqual({ '.': 'folder 755', 'letter.txt': 'file 644' });
  });
});
