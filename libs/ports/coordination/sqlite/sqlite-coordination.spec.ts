import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startThread, type Thread } from '#primitives/thread/thread.js';
import { coordinationContract } from '../contract.js';
import { ABSENT, CoordinationUnavailableError } from '../port.js';
import { coordinationService, openSqliteCoordination } from './index.js';

const root = await mkdtemp(join(tmpdir(), 'coordination-'));
afterAll(() => rm(root, { recursive: true, force: true }));
const directory = join(root, 'data');

let threads: Thread[] = [];
const open = async (now: () => number) => {
  const thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
  threads.push(thread);
  return openSqliteCoordination({ directory, thread, now });
};
const clear = async () => {
  await Promise.all(threads.map((thread) => thread.close()));
  threads = [];
  await rm(directory, { recursive: true, force: true });
};

coordinationContract('SQLite', open, clear);

describe('coordination on SQLite', () => {
  afterEach(clear);

  it('removes expired entries from the file', async () => {
    let now = 1_000_000;
    const coordination = await open(() => now);
    for (let n = 0; n < 50; n += 1) await coordination.compareAndSet(`session:${n}`, ABSENT, n, 1000);
    await coordination.increment('window', 1, 1000);
    await coordination.acquireLease('lease', 'me', 1000);
    now += 60_000;
    await coordination.compareAndSet('kept', ABSENT, 1);
    const file = new DatabaseSync(join(directory, 'coordination.db'), { readOnly: true });
    const rows = (table: string) => file.prepare(`SELECT count(*) AS n FROM ${table}`).get()!['n'];
    expect([rows('entries'), rows('counters'), rows('leases')]).toEqual([1, 0, 0]);
    file.close();
    await coordination.close();
  });

  it('is refused with a trigger, by which a session that has ended would come back', async () => {
    await (await open(Date.now)).close();
    await Promise.all(threads.map((thread) => thread.close()));
    const file = new DatabaseSync(join(directory, 'coordination.db'));
    file.exec(`CREATE TRIGGER quiet AFTER DELETE ON entries BEGIN INSERT INTO entries
      VALUES (OLD.key, OLD.value, OLD.version, OLD.ends); END`);
    file.close();
    await expect(open(Date.now)).rejects.toThrow(/has a trigger \("quiet"\), which Anneal never makes/);
  });

  it('is unavailable without its thread', async () => {
    const coordination = await open(Date.now);
    await threads[0]!.close();
    await expect(coordination.compareAndSet('k', ABSENT, 1)).rejects.toThrow(CoordinationUnavailableError);
    await coordination.close();
    await expect(coordination.get('k')).rejects.toThrow(CoordinationUnavailableError);
  });
});
