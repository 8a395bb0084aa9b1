import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForWriting as openCoordination } from '#ports/coordination/sqlite/database.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { openObjectStore } from '#ports/object-store/open.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { backUp } from './back-up.js';
import { backupId, type BackedUpFile, type Backup } from './manifest.js';
import { prune } from './prune.js';
import { BackupTarget } from './target.js';
import { newest } from './thread/service.js';
import { verifyBackup } from './verify-backup.js';

const DAY_MS = 24 * 60 * 60_000;
const { signal } = new AbortController();
const signingKeys = [Buffer.alloc(32, 1)];
const ROWS = 'datasets/w/rows';

/** The attacker reads and writes the place of the backups, and has nothing else. */
describe('backups whose place somebody else writes to', () => {
  let root: string;
  let log: SqliteEventStore;
  let objects: ObjectStore;
  let target: BackupTarget;
  const at = (...names: string[]) => join(root, ...names);
  const folder = (name: string) => ({ kind: 'folder', directory: at(name) }) as const;
  const stored = (...names: string[]) => at('backups', 'objects', ...names);
  const factsOf = (id: string) => stored('backups', id, 'backup.json');

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'anneal-hostile-'));
    log = await openSqliteEventStore({ directory: root, durability: 'normal' });
    openCoordination(root, 'normal').close();
    objects = await openObjectStore(folder('objects'));
    await objects.put(ROWS, Buffer.from('the genuine rows'));
    target = await BackupTarget.open(folder('backups'), signingKeys);
  });
  afterEach(async () => {
    await Promise.all([log.close(), objects.close(), target.close()]);
    await rm(root, { recursive: true, force: true });
  });

  const options = {
    ...({ objects: 'copy', signingKeys, signal } as const),
    get from() {
      return { log: root, coordination: root, objects: folder('objects') };
    },
    get to() {
      return folder('backups');
    },
  };
  const backedUp = (now = new Date()) =>
    backUp({ ...options, ...{ from: options.from, to: options.to }, now: () => now });
  const problemsOf = async (id: string, of = target) => {
    const problems: string[] = [];
    await verifyBackup({ target: of, backup: await of.backup(id), onProblem: (problem) => problems.push(problem) });
    return problems;
  };
  const changeFacts = async (id: string, change: (backup: Backup) => object) => {
    const backup = JSON.parse(await readFile(factsOf(id), 'utf8')) as Backup;
    await writeFile(factsOf(id), JSON.stringify({ ...backup, ...change(backup) }));
  };
  /** Puts other rows into a backup, so that each hash of the target is that of the forgery. */
  const forgeRows = async (id: string) => {
    const forged = Buffer.from('the forged rows!');
    const sha256 = createHash('sha256').update(forged).digest('hex');
    await mkdir(stored('chunks', sha256.slice(0, 2)), { recursive: true });
    await writeFile(stored('chunks', sha256.slice(0, 2), sha256), forged);
    const manifest = stored('backups', id, 'manifest.jsonl');
    const lines = (await readFile(manifest, 'utf8')).trim().split('\n');
    const changed = lines
      .map((line) => JSON.parse(line) as BackedUpFile)
      .map((file) => JSON.stringify(file.name === ROWS ? { ...file, sha256, chunks: [sha256] } : file))
      .join('\n');
    await writeFile(manifest, changed);
    await changeFacts(id, () => ({
      manifest: { size: changed.length, sha256: createHash('sha256').update(changed).digest('hex') },
    }));
  };

  it('are not verified when objects, manifest and hashes were exchanged together, and the next one has the genuine rows', async () => {
    const { id } = await backedUp();
    await forgeRows(id);
    expect(await problemsOf(id)).toEqual([expect.stringMatching(/another secret, or changed since/)]);
    const next = await backedUp(new Date(Date.now() + 1000));
    const [rows] = (await target.files(next)).filter(({ name }) => name === ROWS);
    expect(Buffer.concat(await Array.fromAsync(target.content(rows!))).toString()).toBe('the genuine rows');
    expect(await problemsOf(next.id)).toEqual([]);
  });

  it('are not verified under another id, time or position, without their HMAC, or by another installation', async () => {
    const { id } = await backedUp(new Date(Date.now() - DAY_MS));
    const newer = backupId(new Date());
    await cp(stored('backups', id), stored('backups', newer), { recursive: true });
    await changeFacts(newer, () => ({ id: newer, createdAt: new Date().toISOString() }));
    expect(await problemsOf(newer)).toEqual([expect.stringMatching(/changed since/)]);
    await changeFacts(id, ({ log: end }) => ({ log: { ...end, position: '99999999' } }));
    expect(await problemsOf(id)).toEqual([expect.stringMatching(/changed since/)]);
    await changeFacts(id, () => ({ mac: undefined }));
    expect(await problemsOf(id)).toEqual([expect.stringMatching(/has no HMAC of this installation/)]);
    const other = await BackupTarget.open(folder('backups'), [Buffer.alloc(32, 2)]);
    const { id: genuine } = await backedUp(new Date(Date.now() + 1000));
    expect([await problemsOf(genuine), await problemsOf(genuine, other)]).toEqual([
      [],
      [expect.stringMatching(/another secret/)],
    ]);
    await other.close();
  });

  it('do not keep new ones from being made: one that they put there, or that is of tomorrow, is not the newest', async () => {
    const now = Date.now();
    const { id } = await backedUp(new Date(now - DAY_MS));
    await backedUp(new Date(now + DAY_MS));
    const planted = backupId(new Date(now - 1000));
    await cp(stored('backups', id), stored('backups', planted), { recursive: true });
    await changeFacts(planted, () => ({ id: planted }));
    expect(await newest({ to: options.to, signingKeys })).toBe(now - DAY_MS);
  });

  it('are refused with a file twice, with lines that are a bomb, and with facts of another kind', async () => {
    const backup = await backedUp();
    const manifest = stored('backups', backup.id, 'manifest.jsonl');
    const text = await readFile(manifest, 'utf8');
    const twice = text + text;
    await writeFile(manifest, twice);
    const sha256 = createHash('sha256').update(twice).digest('hex');
    await expect(target.files({ ...backup, manifest: { size: twice.length, sha256 } })).rejects.toThrow(/a file twice/);
    // Read to its size at most, whatever is there.
    await expect(target.files(backup)).rejects.toThrow(/its SHA-256 is another/);
    for (const change of [{ createdAt: '2020-01-01 (\u001B[2J)' }, { log: { id: 'a\u001B[2J', position: '1' } }]) {
      await changeFacts(backup.id, () => change);
      await expect(target.backup(backup.id)).rejects.toThrow(/its backup\.json is not one/);
    }
    await writeFile(factsOf(backup.id), '{}'.padEnd(3 * 1024 * 1024));
    await expect(target.backup(backup.id)).rejects.toThrow(/its backup\.json is not one/);
  });

  it('remove and write nothing in folders that their links lead to', async () => {
    const old = await backedUp(new Date(Date.now() - 9 * DAY_MS));
    await objects.delete(ROWS);
    await backedUp(new Date(Date.now() - 1000));
    const [rows] = (await target.files(old)).filter(({ name }) => name === ROWS);
    const prefix = rows!.sha256!.slice(0, 2);
    const precious = at('precious');
    await mkdir(precious);
    await rename(stored('chunks', prefix), join(precious, prefix));
    await symlink(join(precious, prefix), stored('chunks', prefix));
    await prune(target, 2);
    expect(await readdir(join(precious, prefix))).toContain(rows!.sha256);
    await objects.put(ROWS, Buffer.from('the genuine rows'));
    await rm(join(precious, prefix, rows!.sha256!));
    await expect(backedUp()).rejects.toThrow(/symbolic link that leads out/);
    expect(existsSync(join(precious, prefix, rows!.sha256!))).toBe(false);
  });

  it('are not opened where a link would have the files of another folder removed', async () => {
    await backedUp();
    const precious = at('precious');
    await mkdir(precious);
    await writeFile(join(precious, 'old'), 'x');
    await utimes(join(precious, 'old'), 0, 0);
    await rm(at('backups', 'incoming'), { recursive: true });
    await symlink(precious, at('backups', 'incoming'));
    const opened = await BackupTarget.open(folder('backups'), null);
    await expect(opened.held()).rejects.toThrow(/symbolic link that leads out/);
    expect(await readdir(precious)).toEqual(['old']);
  });
});
