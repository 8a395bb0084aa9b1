import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForWriting as openCoordination } from '#ports/coordination/sqlite/database.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { SqliteKeyStore } from '#ports/key-store/sqlite/index.js';
import { openObjectStore } from '#ports/object-store/open.js';
import { describeWithServer } from '#test/servers/describe.js';
import { restoreKeys } from './kept-keys.js';
import { makeBackup, type MakeBackupOptions } from './make-backup.js';
import { restore } from './restore.js';
import { BackupTarget } from './target.js';
import { verifyBackup } from './verify-backup.js';

const { signal } = new AbortController();

describeWithServer('s3', ({ name, address }) => {
  const prefix = randomUUID();
  const signingKeys = [Buffer.alloc(32, 1)];
  const bucket = (folder: string) => {
    const url = new URL(address);
    url.pathname = `/${prefix}/${folder}`;
    return { kind: 's3', address: String(url) } as const;
  };

  it(`a system with its objects on ${name} is backed up to it and restored from it, with the keys in a place of their own`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'anneal-backup-s3-'));
    const log = await openSqliteEventStore({ directory: root, durability: 'normal' });
    const objects = await openObjectStore(bucket('objects'));
    const restoredObjects = await openObjectStore(bucket('restored'));
    const target = await BackupTarget.open(bucket('backups'), signingKeys);
    const keys = new SqliteKeyStore(join(root, 'keys'));
    try {
      openCoordination(root, 'normal').close();
      await keys.create('a', Buffer.from('a key'));
      const rows = Buffer.alloc(3 * 1024 * 1024, 'rows, ');
      await objects.put('datasets/w/rows', rows);
      await objects.put('audit/checkpoint', Buffer.from('a note'));
      const options: MakeBackupOptions = {
        from: { log: root, coordination: root, objects: bucket('objects') },
        ...{ to: bucket('backups'), objects: 'copy', signingKeys, keepDays: 30, signal },
        keys: { directory: join(root, 'keys'), to: bucket('kept-keys') },
      };
      const { backup: first } = await makeBackup(options);
      const { backup, pruned } = await makeBackup(options);
      expect([first.newBytes > rows.length, backup.newBytes, pruned]).toEqual([true, 0, { removed: [], chunks: 0 }]);
      const problems: string[] = [];
      await verifyBackup({ target, backup, onProblem: (problem) => problems.push(problem) });
      expect(problems).toEqual([]);

      const to = { log: join(root, 'new'), coordination: join(root, 'new'), objects: restoredObjects };
      const parts = ['log', 'coordination', 'objects'] as const;
      expect(await restore({ target, backup, parts, to, signal })).toMatchObject({ written: 4, missing: [] });
      expect(Buffer.concat(await Array.fromAsync(await restoredObjects.get('datasets/w/rows')))).toEqual(rows);
      await restoreKeys(join(root, 'new', 'keys'), { from: bucket('kept-keys'), logId: backup.log.id });
      const restoredKeys = new SqliteKeyStore(join(root, 'new', 'keys'));
      expect(await restoredKeys.get('a')).toEqual(await keys.get('a'));
      await restoredKeys.close();

      await objects.delete('datasets/w/rows');
      await objects.put('datasets/w/rows', Buffer.alloc(rows.length, 'other rows, '));
      expect((await makeBackup(options)).backup.newBytes).toBeGreaterThan(0);
      await writeFile(join(root, 'new', 'log.db-wal'), 'x');
      await expect(restore({ target, backup, parts, to, signal })).rejects.toThrow(/log\.db-wal is left/);
      expect(existsSync(join(root, 'new', 'log.db'))).toBe(true);
    } finally {
      await keys.close();
      for (const place of ['objects', 'restored', 'backups', 'kept-keys']) {
        const store = await openObjectStore(bucket(place));
        await store.deletePrefix('').finally(() => store.close());
      }
      await Promise.all([log.close(), objects.close(), restoredObjects.close(), target.close()]);
      await rm(root, { recursive: true, force: true });
    }
  });
});
