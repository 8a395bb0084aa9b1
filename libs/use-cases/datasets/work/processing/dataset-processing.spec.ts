import { DuckDBInstance } from '@duckdb/node-api';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { claimDatasetVersion, datasetStreamId, releaseDatasetClaim } from '#application/datasets.js';
import { DEFAULT_LIMITS, exampleOf, storedRows } from '#rows/formats/index.js';
import { datasetDecider, type DatasetCommand, type DatasetVersion } from '#domain/dataset/index.js';
import { UnavailableError } from '#domain/errors.js';
import { EventStoreUnavailableError } from '#ports/event-store/port.js';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import type { ProcessManagerHost } from '#log/process-manager/host.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { datasetProcessing } from './process-manager.js';
import type { ProcessingOptions } from '#rows/processing/process-version.js';

const workspaceId = 'w1';
const stream = datasetStreamId(workspaceId, 'tickets');
const good = '{"text":"Ada is in Paris","entities":[["Ada","person"]],"label":"x"}\n{"text":"b","entities":[]}\n';

describe('dataset processing', () => {
  let worker: TestWorker;
  let application: Application;

  beforeEach(async () => {
    worker = await openTestWorker();
    ({ application } = worker);
  });
  afterEach(async () => {
    await worker.close();
  });

  const decide = (command: Parameters<typeof datasetDecider.decide>[0]) =>
    application.execute(datasetDecider, stream, command, systemContext('test', workspaceId));

  /** A sealed upload. @returns its id */
  async function sealed(
    content: string | Buffer,
    workspace = workspaceId,
    more: Partial<Extract<DatasetCommand, { type: 'initialize-version' }>> = {},
  ): Promise<string> {
    const of = datasetStreamId(workspace, 'tickets');
    const execute = (command: Parameters<typeof datasetDecider.decide>[0]) =>
      application.execute(datasetDecider, of, command, systemContext('test', workspace));
    const { state } = await execute({
      type: 'initialize-version',
      workspaceId: workspace,
      name: 'tickets',
      datasetType: 'ner',
      format: null,
      fileName: null,
      columnMapping: {},
      projectId: null,
      ...more,
    });
    const { versionId, uploadKey } = state.versions.at(-1)!;
    await application.ports.objectStore.put(uploadKey, Buffer.from(content));
    const source = { ...(await application.ports.objectStore.seal(uploadKey, `sources/${versionId}`)) };
    await execute({ type: 'seal-version', workspaceId: workspace, versionId, source });
    return versionId;
  }

  function start(options: Partial<ProcessingOptions> = {}): ProcessManagerHost {
    return worker.run(datasetProcessing(application, options));
  }

  const version = async (id: string) =>
    (await application.load(datasetDecider, stream)).versions.find(({ versionId }) => versionId === id)!;

  const until = (id: string, is: (version: DatasetVersion) => boolean) => worker.until(() => version(id), is);
  const settled = (id: string) => until(id, ({ status }) => status === 'ready' || status === 'failed');
  const types = async () =>
    (await Array.fromAsync(application.ports.eventStore.readStream(`dataset-${stream}`))).map(({ type }) =>
      type.replace('dataset-version-', ''),
    );

  it('converts and validates a sealed upload', async () => {
    const id = await sealed(gzipSync(good));
    start();
    expect(await settled(id)).toMatchObject({
      status: 'ready',
      contents: { rows: 2, heads: ['entities', 'classification'], labels: ['person', 'x'], multiLabel: false },
      object: { size: good.length },
    });
    expect(await types()).toEqual([
      'initialized.v1',
      'sealed.v1',
      'conversion-started.v1',
      'validation-started.v1',
      'ready.v1',
    ]);
  });

  it('fails an unreadable file, and keeps none of its rows', async () => {
    const id = await sealed('{"text":"b","entities":[]}\n'.repeat(10_000) + '\xff{');
    start({ files: { ...DEFAULT_LIMITS, rowBytes: 20 } });
    expect(await settled(id)).toMatchObject({ status: 'failed', reason: expect.stringMatching(/^line 1 is longer/) });
    expect(await Array.fromAsync(application.ports.objectStore.list('datasets/'))).toEqual([]);
  });

  it('stores the rows that are left out beside the others, and names both in the log', async () => {
    const wrong = '{"text":"","entities":[]}\n';
    const id = await sealed(good.repeat(20) + wrong);
    start();
    const ready = await settled(id);
    expect(ready).toMatchObject({ status: 'ready', contents: { rows: 40 }, leftOut: { rows: 1, of: 41, listed: 1 } });
    const { leftOut } = ready as Extract<DatasetVersion, { status: 'ready' }>;
    const stored = Buffer.concat(await Array.fromAsync(await application.ports.objectStore.get(leftOut!.list.key)));
    expect(JSON.parse(stored.toString())).toEqual({
      row: 41,
      reason: 'text is empty',
      data: { text: '', entities: [] },
    });
    expect(stored).toHaveLength(leftOut!.list.size);
    expect(leftOut!.list.key).toMatch(new RegExp(`^datasets/${workspaceId}/${id}/`));
  });

  it('leaves out nothing of the requests of a batch, or of what the system made itself', async () => {
    const wrong = '{"text":"","entities":[]}\n';
    start();
    for (const more of [{ generationType: 'synthetic' }, { purpose: 'batch' }, { onError: 'fail' }] as const)
      expect(await settled(await sealed(good.repeat(20) + wrong, workspaceId, more))).toMatchObject({
        ...{ status: 'failed', reason: 'row 41: text is empty' },
      });
  });

  it('gives up on a file that crashes its reader three times, and says how', async () => {
    const nests = `{"text":"b","entities":[],"more":[${'[],'.repeat(1_000_000)}[]]}`;
    const id = await sealed(nests);
    start({ heapMiB: 24 });
    expect(await settled(id)).toMatchObject({
      status: 'failed',
      reason: 'reading the file broke down 3 times: it needed more than 24 MiB of memory; check the file, or split it',
    });
    expect((await types()).filter((type) => type === 'conversion-started.v1')).toHaveLength(3);
  });

  it('reads Parquet in a sandboxed process', async () => {
    const id = await sealed(
      await parquet("SELECT 'row ' || i AS text, [['row', 'x']] AS entities FROM range(5000) t(i)"),
    );
    start();
    expect(await settled(id)).toMatchObject({
      status: 'ready',
      contents: { rows: 5000, format: 'parquet', labels: ['x'] },
    });
  });

  it.each([
    ['cut off', async () => (await parquet("SELECT 'a' AS text")).subarray(0, -20)],
    ['of rows beyond all measure', () => parquet("SELECT repeat('a', 1000000) AS text FROM range(70)")],
    ['of pages beyond all measure', () => parquet("SELECT repeat('a', 70000000) AS text")],
    ['of many empty rows', () => parquet('SELECT 1 AS n FROM range(300000)')],
  ])('refuses Parquet %s in one line, and continues', async (_what, make) => {
    const id = await sealed(await make());
    start({ files: { ...DEFAULT_LIMITS, tableMiB: 64, unpackedBytes: 2 * 1024 * 1024 } });
    const failed = await settled(id);
    expect(failed).toMatchObject({ status: 'failed', rowErrors: null });
    expect(failed).toMatchObject({ reason: expect.stringMatching(/^the (Parquet file|table|rows) [^\n]+$/) });
    expect((await types()).filter((type) => type === 'conversion-started.v1')).toHaveLength(1);
    expect(await settled(await sealed(good))).toMatchObject({ status: 'ready' });
  });

  it('ends a reader that makes no progress', async () => {
    const id = await sealed(good);
    start({ silenceMs: 1 });
    expect(await settled(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('made no progress') });
  });

  it('starts a version of another workspace next, however many one workspace has waiting', async () => {
    for (let index = 0; index < 8; index += 1) await sealed(good);
    await sealed(good, 'w2');
    start();
    const begun: (string | null)[] = [];
    const stopping = new AbortController();
    const filter = { types: ['dataset-version-conversion-started.v1'] };
    for await (const message of application.ports.eventStore.subscribe({
      after: null,
      filter,
      signal: stopping.signal,
    })) {
      if (message.kind === 'events') begun.push(...message.events.map(({ metadata }) => metadata.workspaceId));
      if (begun.includes('w2')) stopping.abort();
    }
    // Two at a time: one of each workspace.
    expect(begun.indexOf('w2')).toBeLessThanOrEqual(1);
  });

  it('keeps a file waiting while the disk is full, without counting attempts', async () => {
    const id = await sealed(good);
    const { objectStore } = application.ports;
    const put = objectStore.put.bind(objectStore);
    objectStore.put = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    const full = datasetProcessing(application);
    const attempt = () => full.execute({ versionId: id, stream, workspaceId }, new AbortController().signal);
    for (let times = 0; times < 4; times += 1) await expect(attempt()).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await version(id)).toMatchObject({ status: 'uploading', attempt: 0 });
    objectStore.put = put;
    await attempt();
    expect(await version(id)).toMatchObject({ status: 'ready' });
  });

  it('resumes versions that a crashed process left converting or validating', async () => {
    const [a, b] = [await sealed(good), await sealed(good)];
    await decide({ type: 'start-conversion', workspaceId, versionId: a, attempt: 1, worker: 'crashed' });
    await decide({ type: 'start-conversion', workspaceId, versionId: b, attempt: 1, worker: 'crashed' });
    await decide({ type: 'start-validation', workspaceId, versionId: b, attempt: 1 });
    start();
    for (const id of [a, b])
      expect(await settled(id)).toMatchObject({ status: 'ready', object: { key: expect.stringContaining('rows-2') } });
  });

  it('does not count server crashes against a file, up to twenty', async () => {
    const id = await sealed(good);
    const hopeless = await sealed(good);
    const crash = (versionId: string, attempt: number) =>
      decide({ type: 'start-conversion', workspaceId, versionId, attempt, worker: `crashed ${attempt}` });
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      if (attempt < 20) await crash(id, attempt);
      await crash(hopeless, attempt);
    }
    start();
    expect(await settled(id)).toMatchObject({ status: 'ready' });
    expect(await settled(hopeless)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('broke down 20 times: the server ended each time'),
    });
  });

  it('returns an attempt at shutdown, and starts again after a restart', async () => {
    const id = await sealed('{"text":"b","entities":[]}\n'.repeat(20_000));
    const host = start();
    await until(id, ({ status }) => status === 'converting');
    await host.close();
    expect(await version(id)).toMatchObject({ status: 'uploading', attempt: 0 });
    expect(await Array.fromAsync(application.ports.objectStore.list('datasets/'))).toEqual([]);
    start();
    expect(await settled(id)).toMatchObject({ status: 'ready', contents: { rows: 20_000 } });
  });

  it('starts again when the object store breaks off, instead of accepting a part as the whole', async () => {
    const id = await sealed(good.repeat(1000));
    const { objectStore } = application.ports;
    const get = objectStore.get.bind(objectStore);
    let broken = 0;
    objectStore.get = async (key) => {
      if ((broken += 1) > 1) return get(key);
      return (async function* () {
        yield Buffer.from(good);
        throw new Error('the disk is gone');
      })();
    };
    start();
    const ready = await settled(id);
    expect(ready).toMatchObject({ status: 'ready', contents: { rows: 2000 } });
    expect(ready).toMatchObject({ object: { key: expect.stringContaining('rows-1') } });
  });

  it('counts no outage of the object store against a file, whichever worker meets it', async () => {
    const id = await sealed(good.repeat(1000));
    const { objectStore } = application.ports;
    const get = objectStore.get.bind(objectStore);
    objectStore.get = async () => {
      throw new ObjectStoreUnavailableError('away');
    };
    const [one, other] = [datasetProcessing(application), datasetProcessing(application)];
    const attempt = (worker: typeof one) =>
      worker.execute({ versionId: id, stream, workspaceId }, new AbortController().signal);
    for (const worker of [one, other, one, other, one])
      await expect(attempt(worker)).rejects.toBeInstanceOf(ObjectStoreUnavailableError);
    expect(await version(id)).toMatchObject({ status: 'uploading', attempt: 0 });
    objectStore.get = get;
    await attempt(other);
    expect(await version(id)).toMatchObject({ status: 'ready', contents: { rows: 2000 } });
  });

  it('starts nothing while the object store is unavailable', async () => {
    const id = await sealed(good);
    application.ports.objectStore.stat = async () => {
      throw new ObjectStoreUnavailableError('away');
    };
    const worker = datasetProcessing(application);
    await expect(
      worker.execute({ versionId: id, stream, workspaceId }, new AbortController().signal),
    ).rejects.toBeInstanceOf(ObjectStoreUnavailableError);
    expect((await types()).at(-1)).toBe('sealed.v1');
  });

  it('counts no outage of the log against a file', async () => {
    const id = await sealed(good.repeat(1000));
    const { eventStore } = application.ports;
    const append = eventStore.append.bind(eventStore);
    const worker = datasetProcessing(application);
    const attempt = () => worker.execute({ versionId: id, stream, workspaceId }, new AbortController().signal);
    // The start is stored but its answer is lost, and the store then refuses writes for long.
    let isFirst = true;
    eventStore.append = async (...args) => {
      if (isFirst) await append(...args);
      isFirst = false;
      throw new EventStoreUnavailableError('away');
    };
    for (let times = 0; times < 4; times += 1) await expect(attempt()).rejects.toBeInstanceOf(UnavailableError);
    eventStore.append = append;
    await attempt();
    const ready = await version(id);
    expect(ready).toMatchObject({ status: 'ready', object: { key: expect.stringContaining('rows-1') } });
  });

  it('retries a file that broke off in the middle of a row', async () => {
    const id = await sealed(good.repeat(1000));
    const { objectStore } = application.ports;
    const get = objectStore.get.bind(objectStore);
    let broken = 0;
    objectStore.get = async (key) => {
      if ((broken += 1) > 1) return get(key);
      return (async function* () {
        yield Buffer.from(good.repeat(3) + '{"text": "half of a ro');
        throw new ObjectStoreUnavailableError('cut');
      })();
    };
    start();
    expect(await settled(id)).toMatchObject({ status: 'ready', contents: { rows: 2000 } });
  });

  it('fails a version whose upload is missing', async () => {
    const id = await sealed(good);
    await application.ports.objectStore.deletePrefix('sources/');
    start();
    expect(await settled(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('no longer there') });
  });

  it('gives a version to one of two workers', async () => {
    const id = await sealed('{"text":"b","entities":[]}\n'.repeat(10_000));
    start();
    start();
    expect(await settled(id)).toMatchObject({ status: 'ready' });
    expect((await types()).filter((type) => type === 'conversion-started.v1')).toHaveLength(1);
  });

  it('makes an immutable version that can be claimed and read as examples', async () => {
    const id = await sealed(good);
    start();
    await settled(id);
    const claimant = { kind: 'job', id: 'j1' } as const;
    const request = { workspaceId, name: 'tickets', claimant };
    const pin = await claimDatasetVersion(application, request, systemContext('test', workspaceId));
    expect(pin).toMatchObject({
      versionId: id,
      versionNumber: 1,
      rows: 2,
      entityLabels: ['person'],
      classLabels: ['x'],
    });
    await settled(await sealed(good));
    expect(await claimDatasetVersion(application, request, systemContext('test', workspaceId))).toEqual(pin);
    const rows = await Array.fromAsync(storedRows(application.ports.objectStore, pin.object.key));
    expect(rows.map(exampleOf)).toEqual([
      { text: 'Ada is in Paris', entities: [{ start: 0, end: 3, label: 'person' }], labels: ['x'] },
      { text: 'b', entities: [] },
    ]);
    await releaseDatasetClaim(application, request, systemContext('test', workspaceId));
    const later = await claimDatasetVersion(application, request, systemContext('test', workspaceId));
    expect(later.versionNumber).toBe(2);
    const foreign = { ...request, workspaceId: 'w2' };
    await expect(claimDatasetVersion(application, foreign, systemContext('test', 'w2'))).rejects.toThrow(
      'does not exist',
    );
  });
});

/** A Parquet file as another program would write it. */
async function parquet(select: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-'));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`COPY (${select}) TO '${folder}/file.parquet' (FORMAT parquet, COMPRESSION zstd)`);
  connection.closeSync();
  instance.closeSync();
  const file = await readFile(join(folder, 'file.parquet'));
  await rm(folder, { recursive: true });
  return file;
}
