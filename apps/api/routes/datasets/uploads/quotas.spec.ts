import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CoordinationUnavailableError } from '#ports/coordination/port.js';
import { servesItsAddresses } from '#ports/object-store/port.js';
import { storageDocuments } from '#projections/storage/queries.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
import { operate } from '#test/support/operate.js';

const row = (index: number): string => JSON.stringify({ text: `text number ${index}`, entities: [], label: 'a' });
const jsonl = (rows: number): string => Array.from({ length: rows }, (_, index) => `${row(index)}\n`).join('');
/** Rows whose long column names make them far larger as JSON than in the file. */
const wideCsv = (rows: number): string => {
  const names = Array.from({ length: 20 }, (_, column) => `${'name'.repeat(20)}${column}`);
  return `text,label,${names.join(',')}\n${`t,a,${names.map(() => '1').join(',')}\n`.repeat(rows)}`;
};
const MiB = 1024 * 1024;

describe('quotas of a workspace', () => {
  let system: TestApi;
  /** Calls in a workspace of the test's own. */
  let api: Pick<TestApi, 'call' | 'until'>;
  let workspaceId: string;
  let email: string;
  beforeAll(async () => {
    system = await startTestApi({ rateLimits: false });
  });
  afterAll(() => system.close());
  beforeEach(async () => {
    const { key, session } = await system.colleague();
    const { body } = await system.call('GET', '/auth/session', undefined, { authorization: `Bearer ${session}` });
    ({ workspace_id: workspaceId, email } = body);
    api = { ...system, call: (method, path, sent) => system.call(method, path, sent, { 'x-api-key': key }) };
  });
  afterEach(async () => {
    for (const name of ['stored_bytes', 'stored_rows', 'open_uploads']) await limit(name, null);
  });

  const limit = (name: string, value: number | null) => operate(system, 'team.limit', { limit: name, value });
  const restore = (name: string) => operate(system, 'datasets.restore', { name, email });
  const begin = (dataset_name: string) => api.call('POST', '/felix/datasets/upload/url', { dataset_name });
  const processUpload = (dataset_id: unknown) => api.call('POST', '/felix/datasets/upload/process', { dataset_id });
  const put = (address: string, body: string | Uint8Array | ReadableStream, init: object = {}) =>
    fetch(address, { method: 'PUT', body: body as string, ...init });
  const used = async (name: string): Promise<number> => {
    const { body } = await api.call('GET', '/account');
    return body.limits.find((each: { name: string }) => each.name === name).used;
  };
  const objects = async (prefix: string) => {
    const { objectStore } = system.application.ports;
    const keys = (await Array.fromAsync(objectStore.list(`${prefix}${workspaceId}/`))).map(({ key }) => key);
    return Promise.all(keys.map(async (key) => ({ key, size: (await objectStore.stat(key))?.size ?? 0 })));
  };
  const bytesOf = async (prefix: string) => (await objects(prefix)).reduce((sum, { size }) => sum + size, 0);
  /** Excludes row indexes, which do not count. */
  const stored = async () => (await objects('datasets/')).filter(({ key }) => !key.endsWith('.index'));
  const isServed = () => servesItsAddresses(system.application.ports.objectStore);

  it('count an upload and its rows, and free both when the dataset is deleted', async () => {
    await uploadDataset(api, { dataset_name: 'one' }, jsonl(100));
    const size = Buffer.byteLength(jsonl(100));
    await system.drained();
    expect([await used('stored_bytes'), await used('stored_rows')]).toEqual([2 * size, 100]);
    expect((await stored()).reduce((sum, each) => sum + each.size, 0)).toBe(2 * size);
    await api.call('DELETE', '/felix/datasets/one');
    expect([await used('stored_bytes'), await used('stored_rows')]).toEqual([0, 0]);
  });

  it('refuse new datasets and jobs by name when they are full', async () => {
    await uploadDataset(api, { dataset_name: 'one' }, jsonl(10));
    await limit('stored_bytes', 100);
    const asked = [
      ['/felix/datasets/upload/url', { dataset_name: 'two' }],
      ['/felix/datasets/merge', { output_name: 'two', sources: [{ dataset_name: 'one' }, { dataset_name: 'one' }] }],
      ['/generate', { task_type: 'ner', labels: ['city'], num_examples: 3, dataset_name: 'two' }],
      ['/generate/ner/label-existing', { inputs: ['Paris'], labels: ['city'], dataset_name: 'two' }],
      ['/felix/training-jobs', { model_name: 'm', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'one' }] }],
    ] as const;
    for (const [path, body] of asked) {
      const answer = await api.call('POST', path, body);
      expect([path, answer.status]).toEqual([path, 413]);
      expect(answer.body.detail).toContain('the 100 bytes that this workspace may store (stored_bytes) are used up');
    }
    await api.call('DELETE', '/felix/datasets/one');
    expect((await begin('two')).status).toBe(200);
  });

  it('refuse an upload larger than what is left: before reading if its length is declared, else while reading', async () => {
    if (!isServed()) return;
    await limit('stored_bytes', 2 * MiB);
    const { body } = await begin('one');
    const { hostname, port, pathname, search } = new URL(body.presigned_url);
    const socket = connect(Number(port), hostname);
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-length: ${3 * MiB}\r\n\r\n`);
    const [answer] = (await Array.fromAsync(socket.take(1) as AsyncIterable<Buffer>)) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
    const unending = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)) });
    const refused = await put(body.presigned_url, unending, { duplex: 'half' }).catch(() => null);
    if (refused) expect(refused.status).toBe(413);
    expect(await objects('uploads/')).toEqual([]);
    expect(await used('stored_bytes')).toBe(0);
    expect((await put(body.presigned_url, jsonl(10))).status).toBe(200);
    expect(await used('stored_bytes')).toBe(Buffer.byteLength(jsonl(10)));
  });

  it('stop a conversion that grows beyond what is left, and keep none of its rows', async () => {
    await limit('stored_bytes', 2 * MiB);
    const file = gzipSync(wideCsv(8_000));
    const body = await uploadDataset(api, { dataset_name: 'wide', dataset_type: 'classification' }, file);
    expect(body).toMatchObject({ status: 'failed', processing_error: expect.stringContaining('storage quota') });
    expect(await bytesOf('datasets/')).toBe(file.length);
    expect(await used('stored_bytes')).toBe(file.length);
  });

  it('fail a version with more rows than are left, by name', async () => {
    await limit('stored_rows', 50);
    const body = await uploadDataset(api, { dataset_name: 'long' }, jsonl(51));
    expect(body).toMatchObject({ status: 'failed', processing_error: expect.stringContaining('50 rows') });
    await system.drained();
    expect((await uploadDataset(api, { dataset_name: 'short' }, jsonl(50))).status).toBe('ready');
    expect((await begin('more')).body.detail).toContain('stored_rows');
  });

  it('let a version use all the rows that are left, even before its own upload is counted', async () => {
    await limit('stored_rows', 50);
    const { readStore } = system.application.ports;
    const get = readStore.get.bind(readStore);
    // As while the read model lags behind the worker.
    readStore.get = async (name, id) => (name === storageDocuments.collection ? null : get(name, id));
    expect((await uploadDataset(api, { dataset_name: 'one' }, jsonl(50))).processing_error).toBeNull();
    readStore.get = get;
    await system.drained();
    expect(await used('stored_rows')).toBe(50);
  });

  it('can be read while writes fail, even if a counted upload is still listed', async () => {
    const { id } = await uploadDataset(api, { dataset_name: 'one' }, jsonl(10));
    await system.drained();
    const { coordination, readStore } = system.application.ports;
    expect(await storageDocuments.get(readStore, id)).toMatchObject({ workspaceId });
    await system.application.storage.openUpload(workspaceId, id);
    const remove = coordination.delete.bind(coordination);
    coordination.delete = () => Promise.reject(new CoordinationUnavailableError('the disk is full'));
    expect([await used('stored_rows'), await used('open_uploads')]).toEqual([10, 0]);
    coordination.delete = remove;
  });

  it('hold for versions that are processed at the same time', async () => {
    const size = Buffer.byteLength(jsonl(2000));
    await limit('stored_bytes', 7 * size);
    const ids: [string, string][] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const { body } = await begin(name);
      expect((await put(body.presigned_url, jsonl(2000))).status).toBe(200);
      ids.push([name, body.dataset_id]);
    }
    await Promise.all(ids.map(([, id]) => processUpload(id)));
    const ends = await Promise.all(ids.map(([name]) => settled(api, `/felix/datasets/${name}/1`)));
    expect(ends.map(({ status }) => status)).toContain('failed');
    expect(ends.filter(({ status }) => status === 'ready').length).toBeLessThanOrEqual(3);
    expect((await stored()).reduce((sum, each) => sum + each.size, 0)).toBeLessThanOrEqual(7 * size);
    expect(await used('stored_bytes')).toBeLessThanOrEqual(7 * size);
  });

  it('limit the uploads that are begun and not processed, even if many begin at once', async () => {
    await limit('open_uploads', 3);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => begin(`upload ${index}`)));
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken.length).toBeLessThanOrEqual(3);
    while ((await used('open_uploads')) < 3) expect((await begin('one more')).status).toBe(200);
    const refused = await begin('too many');
    expect([refused.status, refused.body]).toMatchObject([
      429,
      { code: 'queue_full', scope: 'open-uploads', queue_length: 3 },
    ]);
    expect(refused.body.detail).toContain('call upload/process');
    expect((await api.call('GET', '/felix/datasets/too%20many')).status).toBe(404);
  });

  it('allow another upload once one was processed or deleted', async () => {
    await limit('open_uploads', 1);
    expect((await uploadDataset(api, { dataset_name: 'one' }, jsonl(1))).status).toBe('ready');
    expect((await begin('two')).status).toBe(200);
    expect((await begin('three')).status).toBe(429);
    await api.call('DELETE', '/felix/datasets/two');
    expect((await begin('three')).status).toBe(200);
  });

  it('accept no file for a deleted version', async () => {
    if (!isServed()) return;
    const { body } = await begin('gone');
    expect((await put(body.presigned_url, jsonl(1))).status).toBe(200);
    await api.call('DELETE', '/felix/datasets/gone');
    expect(await objects('uploads/')).toEqual([]);
    expect((await put(body.presigned_url, jsonl(1))).status).toBe(409);
    expect(await objects('uploads/')).toEqual([]);
  });

  it('limit the space of deleted versions: the oldest are removed for good, and restoring one says so', async () => {
    const size = Buffer.byteLength(jsonl(100));
    await limit('stored_bytes', 5 * size);
    for (const name of ['first', 'second', 'third']) {
      expect((await uploadDataset(api, { dataset_name: name }, jsonl(100))).status).toBe('ready');
      await api.call('DELETE', `/felix/datasets/${name}`);
    }
    expect((await stored()).reduce((sum, each) => sum + each.size, 0)).toBe(4 * size);
    await expect(restore('first')).rejects.toThrow('removed for good');
    await restore('second');
    expect((await api.call('GET', '/felix/datasets/second/1/preview')).body.total_rows).toBe(100);
    expect(await used('stored_bytes')).toBe(2 * size);
  });
});
