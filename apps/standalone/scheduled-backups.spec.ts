import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyBackupAt } from '#apps/operator/backup.js';
import { backupId } from '#backup/manifest.js';
import { openForWriting as openCoordination } from '#ports/coordination/sqlite/database.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { Settings } from '#settings/index.js';
import { eventually } from '#test/support/eventually.js';
import { startTestApi } from '#test/support/api.js';
import { Schedule } from './scheduled-backups.js';

const DAY_MS = 24 * 60 * 60_000;

describe('scheduled backups', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'anneal-scheduled-'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const place = (name: string) => ({ kind: 'folder', directory: join(root, name) }) as const;
  const system = async (values: Partial<Settings>) => {
    const dataDir = await mkdtemp(join(root, 'data-'));
    // Also where other specs run on servers.
    return startTestApi({ dataDir, eventStore: { adapter: 'sqlite', directory: dataDir }, ...values });
  };
  const healthOf = async (api: Awaited<ReturnType<typeof system>>) => (await api.call('GET', '/health')).body;

  it('are made while the system runs, shown by /health and the metrics, and whole', async () => {
    const api = await system({ backupTarget: place('backups'), backupKeys: place('keys'), metricsPort: 0 });
    try {
      const { details, status } = await eventually(
        () => healthOf(api),
        (health) => health.details.backup.lastAt !== null && health.details.backup.state === 'waiting',
      );
      expect(status).toBe('ok');
      const { lastAt, nextAt } = details.backup;
      expect(details.backup).toMatchObject({ status: 'up', withKeys: true, newBytes: expect.any(Number) });
      expect(Date.parse(nextAt) - Date.parse(lastAt)).toBe(24 * 60 * 60_000);
      const metrics = await api.metrics();
      expect(metrics).toContain(`anneal_backup_timestamp_seconds ${Date.parse(lastAt) / 1000}`);
      expect(metrics).toContain('anneal_backup_interval_seconds 86400');
      const frames = await Array.fromAsync(verifyBackupAt(place('backups'), null, null));
      expect(frames.at(-1)).toMatchObject({ verified: true, signed: null, createdAt: lastAt });
    } finally {
      await api.close();
    }
  });

  it('that fail make the system degraded, and keep it ready', async () => {
    await mkdir(join(root, 'blocked'));
    await writeFile(join(root, 'blocked', 'objects'), 'a file where a folder is needed');
    const api = await system({ backupTarget: place('blocked') });
    try {
      const { details } = await eventually(
        () => healthOf(api),
        (health) => health.details.backup.reason !== undefined,
      );
      expect(details.backup).toMatchObject({ status: 'up', degraded: true, reason: expect.stringMatching(/^\w+$/) });
      expect((await api.call('GET', '/health/ready')).status).toBe(200);
    } finally {
      await api.close();
    }
  });

  it('are missed by /health when somebody removes the newest ones, and when the next one is late', async () => {
    const folder = join(root, 'system');
    await mkdir(folder);
    const log = await openSqliteEventStore({ directory: folder, durability: 'normal' });
    await log.close();
    openCoordination(folder, 'normal').close();
    const options = {
      from: { log: folder, coordination: folder, objects: place('system/objects') },
      ...{ to: place('removed'), keys: null, keepDays: null, signingKeys: [Buffer.alloc(32, 1)] },
      objects: 'copy' as const,
    };
    // The next one is due at once.
    const schedule = new Schedule(options, 1);
    const { signal } = new AbortController();
    await schedule.look(signal);
    const first = schedule.lastAt!;
    await schedule.look(signal);
    const second = schedule.lastAt!;
    expect(second).toBeGreaterThan(first);
    expect(schedule.health().details).not.toHaveProperty('missing');
    await eventually(() => schedule.health().status === 'degraded');
    await rm(join(root, 'removed', 'objects', 'backups', backupId(new Date(second))), { recursive: true });
    await schedule.look(signal);
    expect(schedule.health()).toMatchObject({
      status: 'degraded',
      details: { missing: new Date(second).toISOString() },
    });
    expect(schedule.lastAt).toBeGreaterThan(second);
    // What is on time, and was not removed.
    const daily = new Schedule(options, DAY_MS);
    await daily.look(signal);
    expect(daily.health().status).toBe('up');
  });

  it.each([
    [
      'inside the data folder',
      (dataDir: string) => ({ backupTarget: { kind: 'folder', directory: join(dataDir, 'b') } }),
    ],
    ['with the keys beside them', () => ({ backupTarget: place('one'), backupKeys: place('one/keys') })],
    [
      'of a log on a server',
      () => ({
        backupTarget: place('one'),
        eventStore: { adapter: 'eventstoredb', address: 'esdb://nowhere.invalid:1' },
      }),
    ],
  ] as const)('%s are refused at the start', async (_, valuesIn) => {
    const dataDir = await mkdtemp(join(root, 'data-'));
    await expect(startTestApi({ dataDir, ...valuesIn(dataDir) } as Partial<Settings>)).rejects.toThrow(
      /^ANNEAL_BACKUP_(TARGET|KEYS) (is in|needs)/,
    );
  });
});
