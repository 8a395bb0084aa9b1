import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backUp } from '#backup/back-up.js';
import type { Part } from '#backup/manifest.js';
import type { JsonObject } from '#domain/json.js';
import { openForWriting as openCoordination } from '#ports/coordination/sqlite/database.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { event } from '#ports/event-store/sqlite/store.fixture.js';
import { openObjectStore } from '#ports/object-store/open.js';
import { restoreSystem } from './backup.js';

const signingKeys = [Buffer.alloc(32, 1)];
const { signal } = new AbortController();

/** What `anneal restore --only objects` brings back beside a log that went on after the backup. */
describe('objects that are restored alone', () => {
  let root: string;
  const folder = (name: string) => ({ kind: 'folder', directory: join(root, name) }) as const;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'anneal-restored-'));
    openCoordination(root, 'normal').close();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const append = async (
    directory: string,
    events: readonly (readonly [stream: string, type: string, data: object])[],
  ) => {
    const log = await openSqliteEventStore({ directory, durability: 'normal' });
    try {
      for (const [stream, type, data] of events) {
        const { metadata } = event();
        const stored = {
          id: randomUUID(),
          type,
          data: data as JsonObject,
          metadata: { ...metadata, workspaceId: 'w' },
        };
        await log.append(`${stream}-${stored.id}`, NO_STREAM, [stored]);
      }
    } finally {
      await log.close();
    }
  };
  const put = async (keys: readonly string[]) => {
    const objects = await openObjectStore(folder('objects'));
    for (const key of keys) await objects.put(key, Buffer.from(key));
    await objects.close();
  };
  const keysOf = async (name: string) => {
    const objects = await openObjectStore(folder(name));
    const keys = (await Array.fromAsync(objects.list(''))).map(({ key }) => key);
    await objects.close();
    return keys;
  };
  const backedUp = () =>
    backUp({
      from: { log: root, coordination: root, objects: folder('objects') },
      ...{ to: folder('backups'), objects: 'copy', signingKeys, signal },
    });
  const restored = async (log: string, parts: readonly Part[] = ['objects']) => {
    const to = { log, coordination: root, objects: folder('found') };
    const request = { to, dataDir: root, from: folder('backups'), signingKeys, id: null, keys: null };
    return (await Array.fromAsync(restoreSystem({ ...request, parts, signal }))).at(-1) as JsonObject;
  };

  it('are those that the log still refers to: none that was deleted, erased or used up since the backup', async () => {
    const stays = [
      'datasets/w/v1/rows',
      'evaluations/e2/rows.jsonl',
      'jobs/j2/model',
      'audit/checkpoint',
      'uploads/w/v3',
    ];
    const goes = [
      ...['datasets/w/v2/rows', 'generated/g1', 'evaluations/e1/predictions.jsonl', 'evaluations/e3/facts.jsonl'],
      ...['jobs/j1/model', 'calls/c1', 'batches/b1/lines/1', 'uploads/w/v1'],
    ];
    await put([...stays, ...goes, 'batches/b2/lines/1']);
    const uploads = ['v1', 'v3'].map(
      (versionId) =>
        ['dataset-d', 'dataset-version-initialized.v1', { versionId, uploadKey: `uploads/w/${versionId}` }] as const,
    );
    await append(root, uploads);
    await backedUp();
    await append(root, [
      ['dataset-d', 'dataset-version-sealed.v1', { versionId: 'v1' }],
      ['dataset-d', 'dataset-version-purged.v1', { versionId: 'v2', objects: ['generated/g1'] }],
      ['evaluation-e1', 'evaluation-deleted.v1', { evaluationId: 'e1' }],
      ['evaluation-e3', 'evaluation-predictions-erased.v1', { evaluationId: 'e3' }],
      ['job-j1', 'training-job-deleted.v1', { jobId: 'j1' }],
      ['erasure-c1', 'call-content-erased.v1', { objectKey: 'calls/c1' }],
      ['batch-b1', 'batch-ended.v1', { batchId: 'b1' }],
    ]);
    expect(await restored(root)).toMatchObject({
      deleted: goes.length,
      logWentOn: true,
      written: stays.length + 1,
      missing: [],
    });
    expect((await keysOf('found')).toSorted()).toEqual([...stays, 'batches/b2/lines/1'].toSorted());
  });

  it('are refused beside no log, another one, and one that ends before the backup', async () => {
    await put(['datasets/w/v1/rows']);
    await append(join(root, 'other'), [['thing-1', 'thing', {}]]);
    await append(root, [['thing-1', 'thing', {}]]);
    await backedUp();
    await expect(restored(join(root, 'none'))).rejects.toThrow(/^no log is in .*restore log, coordination and objects/);
    await expect(restored(join(root, 'other'))).rejects.toThrow(/^the log there is another one/);
    expect(await keysOf('found')).toEqual([]);
    const older = join(root, 'older');
    await restored(older, ['log']);
    await append(root, [['thing-1', 'thing', {}]]);
    await backedUp();
    await expect(restored(older)).rejects.toThrow(/^the log there ends before the backup/);
    expect(await keysOf('found')).toEqual([]);
    expect(await restored(root)).toMatchObject({ deleted: 0, written: 1, logWentOn: false });
  });
});
