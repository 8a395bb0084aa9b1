import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { datasetStreamId } from '#application/datasets.js';
import { indexKey, storedRows } from '#rows/formats/index.js';
import { datasetDecider, type DatasetVersion, type MergeSource } from '#domain/dataset/index.js';
import type { FolderObjectStore } from '#ports/object-store/folder/index.js';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import type { ProcessManagerHost } from '#log/process-manager/host.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { datasetMerges } from './process-manager.js';
import { RowIndexer } from './row-index.js';

const workspaceId = 'w1';
const stream = datasetStreamId(workspaceId, 'both');

describe('dataset merges', () => {
  let worker: TestWorker;
  let application: Application;
  let objectStore: FolderObjectStore;

  beforeEach(async () => {
    worker = await openTestWorker();
    ({ application, objectStore } = worker);
  });
  afterEach(async () => {
    await worker.close();
  });

  async function source(name: string, count: number): Promise<MergeSource> {
    const rows = Array.from({ length: count }, (_, row) => `${JSON.stringify({ text: `${name} ${row}` })}\n`).join('');
    const object = await objectStore.put(`datasets/${name}`, Buffer.from(rows));
    return { name, versionNumber: 1, versionId: name, rows: count, object: { ...object } };
  }

  /** @returns the version's id */
  async function request(sources: readonly MergeSource[], rows = sources.reduce((sum, each) => sum + each.rows, 0)) {
    const { state } = await application.execute(
      datasetDecider,
      stream,
      {
        ...{ type: 'merge-versions', workspaceId, name: 'both', datasetType: 'custom', format: 'jsonl' },
        ...{ fileName: null, columnMapping: {}, projectId: null },
        sources,
        contents: {
          ...{ rows, heads: [], labels: [], entityLabels: [], classLabels: [] },
          ...{ multiLabel: false, format: 'jsonl', columns: ['text'] },
        },
      },
      systemContext('test', workspaceId),
    );
    return state.versions.at(-1)!.versionId;
  }

  function start(): ProcessManagerHost {
    return worker.run(datasetMerges(application));
  }
  const stop = async (host: ProcessManagerHost) => {
    await host.close();
  };

  const settled = (id: string) =>
    worker.until(
      () => versionOf(id),
      ({ status }) => status !== 'merging',
    );
  const versionOf = async (id: string): Promise<DatasetVersion> =>
    (await application.load(datasetDecider, stream)).versions.find(({ versionId }) => versionId === id)!;
  const kept = async () =>
    (await Array.fromAsync(objectStore.list(`datasets/${workspaceId}/`))).map(({ key }) => key).toSorted();

  it('contain the rows of all sources in order, with an index, and leave no parts behind', async () => {
    start();
    const version = await settled(await request([await source('a', 1500), await source('b', 700)]));
    if (version.status !== 'ready') throw new Error(version.status);
    expect(await kept()).toEqual([version.object.key, indexKey(version.object.key)].toSorted());
    const texts = async (offset: number) => {
      const rows = [];
      for await (const row of storedRows(objectStore, version.object.key, offset)) rows.push(row['text']);
      return rows;
    };
    const all = [
      ...Array.from({ length: 1500 }, (_, i) => `a ${i}`),
      ...Array.from({ length: 700 }, (_, i) => `b ${i}`),
    ];
    for (const offset of [0, 999, 1000, 1001, 1499, 1500, 2000, 2199])
      expect(await texts(offset)).toEqual(all.slice(offset));
    expect(await texts(2200)).toEqual([]);
  });

  it('are finished by another worker if the first stopped midway', async () => {
    const versionId = await request([await source('a', 10), await source('b', 10)]);
    const [inTheMiddle, stopping] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const get = objectStore.get.bind(objectStore);
    objectStore.get = async (key, range) => {
      const content = await get(key, range);
      if (key !== 'datasets/b') return content;
      inTheMiddle.resolve();
      return (async function* () {
        await stopping.promise;
        yield* content;
      })();
    };
    const first = start();
    await inTheMiddle.promise;
    const stopped = stop(first);
    stopping.resolve();
    await stopped;
    objectStore.get = get;
    const { versions } = await application.load(datasetDecider, stream);
    expect(versions.at(-1)?.status).toBe('merging');
    expect(await kept()).toEqual([]);
    start();
    expect((await settled(versionId)).status).toBe('ready');
  });

  it('wait while the object store is unavailable', async () => {
    const versionId = await request([await source('a', 10), await source('b', 10)]);
    const put = objectStore.put.bind(objectStore);
    let tries = 0;
    objectStore.put = (...args) => {
      tries += 1;
      return tries < 3 ? Promise.reject(new ObjectStoreUnavailableError('away')) : put(...args);
    };
    start();
    expect((await settled(versionId)).status).toBe('ready');
  });

  it.each([
    ['are gone', (key: string) => objectStore.delete(key), 'no longer there'],
    ['are others', (key: string) => objectStore.put(key, Buffer.from('{"text":"other"}\n')), 'are damaged'],
  ])('fail if rows %s', async (_, spoil, reason) => {
    const sources = [await source('a', 10), await source('b', 1)];
    await spoil('datasets/b');
    start();
    const version = await settled(await request(sources));
    expect([version.status, version.status === 'failed' && version.reason]).toEqual([
      'failed',
      expect.stringContaining(reason),
    ]);
    expect(await kept()).toEqual([]);
  });

  it('fail if the sources contain another number of rows than recorded', async () => {
    start();
    const version = await settled(await request([await source('a', 10), await source('b', 1)], 12));
    expect(version).toMatchObject({ status: 'failed', reason: 'the sources hold 11 rows instead of 12' });
  });

  it('leave nothing behind if a part is deleted midway', async () => {
    const versionId = await request([await source('a', 10), await source('b', 10)]);
    const put = objectStore.put.bind(objectStore);
    const done = Promise.withResolvers<void>();
    objectStore.put = async (...args) => {
      const stored = await put(...args);
      if (args[0].endsWith('.index')) {
        const deletion = { type: 'delete-version', workspaceId, versionId } as const;
        await application.execute(datasetDecider, stream, deletion, systemContext('test', workspaceId));
        done.resolve();
      }
      return stored;
    };
    const host = start();
    await done.promise;
    await stop(host);
    expect(await kept()).toEqual([]);
  });

  it('have one result if two workers run them', async () => {
    const versionId = await request([await source('a', 2000), await source('b', 2000)]);
    start();
    start();
    const version = await settled(versionId);
    await worker.stop();
    if (version.status !== 'ready') throw new Error(version.status);
    expect(await kept()).toEqual([version.object.key, indexKey(version.object.key)].toSorted());
  });
});

it('rows are indexed however their bytes are split', () => {
  const rows = Array.from({ length: 2501 }, (_, row) => `{"r":${row}}\n`);
  const bytes = Buffer.from(rows.join(''));
  const expected = [0, 1000, 2000].map((row) => Buffer.byteLength(rows.slice(0, row).join('')));
  for (const size of [1, 7, 1000, bytes.length]) {
    const indexer = new RowIndexer();
    for (let at = 0; at < bytes.length; at += size) indexer.add(bytes.subarray(at, at + size));
    expect(indexer.index()).toEqual({ step: 1000, rows: 2501, offsets: expected });
  }
});
