import { datasetStreamId, loadVersion } from '#application/datasets.js';
import { indexKey } from '#rows/formats/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const ROWS = 2_500;

describe('damaged dataset rows', () => {
  let api: TestApi;
  let key: string;
  let whole: Buffer;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false }, { engines: QUICK_ENGINES });
    const { dataset_id: id } = await uploadDataset(api, { dataset_name: 'trips', filename: 'a.jsonl' }, trips(ROWS));
    const { body } = await api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${api.session}` });
    const stream = datasetStreamId(body.workspace_id as string, 'trips');
    const version = await loadVersion(api.application, stream, id as string);
    key = version?.status === 'ready' ? version.object.key : '';
    whole = await stored(key);
    for (const path of READS) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });
  afterEach(() => api.application.ports.objectStore.put(key, whole));
  afterAll(() => api.close());

  const stored = async (name: string) =>
    Buffer.concat(await Array.fromAsync(await api.application.ports.objectStore.get(name)));
  const store = (content: Uint8Array, name = key) => api.application.ports.objectStore.put(name, content);
  const get = async (path: string) => {
    const headers = { 'x-api-key': api.key };
    const response = await fetch(`${api.url}/felix/datasets/trips/1/${path}`, { headers });
    const text = await response.text();
    return {
      status: response.status,
      text,
      body: text.startsWith('{"detail"') || path.startsWith('preview') ? JSON.parse(text) : null,
    };
  };

  /** Changes one letter of a name in the last row, so that every row is still JSON and fits its labels. */
  const oneLetter = () => Buffer.from(whole.toString().replace(/Anna(?=[^]*$)/g, 'Anja'));
  const DAMAGES: [string, () => Uint8Array][] = [
    ['other letters', oneLetter],
    ['a row that is no JSON', () => Buffer.concat([Buffer.from('#'), whole.subarray(1)])],
    ['a torn end', () => whole.subarray(0, whole.length / 2)],
    ['nothing', () => Buffer.alloc(0)],
  ];
  const READS = [
    'preview',
    'preview?offset=2000&limit=5',
    'download',
    'download?format=csv',
    'download?format=parquet',
  ];

  it.each(DAMAGES)('are reported on every read, and readable again once restored: %s', async (_, damage) => {
    await store(damage());
    for (const path of READS) {
      const { status, body } = await get(path);
      expect([path, status]).toEqual([path, 409]);
      expect(body.detail).toBe(
        'the stored rows of dataset "trips" version 1 are damaged: their sha256 is not the recorded one; restore the object store from a backup, or upload the file again',
      );
    }
    await store(whole);
    for (const path of READS) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  it('are reported when they are missing', async () => {
    await api.application.ports.objectStore.delete(key);
    for (const path of READS) {
      const { status, body } = await get(path);
      expect([path, status, body.detail]).toEqual([path, 409, expect.stringContaining('are no longer stored;')]);
    }
  });

  it('are shown in /health until they are restored', async () => {
    const objectStore = async () => (await api.call('GET', '/health')).body.details['object-store'];
    await store(oneLetter());
    await get('preview');
    expect(await objectStore()).toMatchObject({ damagedObjects: 1 });
    await store(whole);
    await get('preview');
    expect(await objectStore()).not.toHaveProperty('damagedObjects');
  });

  it('abort a download that has begun', async () => {
    const { objectStore } = api.application.ports;
    await get('preview');
    const real = objectStore.get.bind(objectStore);
    objectStore.get = async (name, range) => {
      objectStore.get = real;
      expect(name).toBe(key);
      const content = Buffer.concat(await Array.fromAsync(await real(name, range)));
      return (async function* () {
        yield content.subarray(0, 100);
        await Promise.resolve();
        yield Buffer.from(content.subarray(100).toString().replaceAll('Anna', 'Anja'));
      })();
    };
    await expect(get('download')).rejects.toThrow();
  });

  it('fail a training job that reads them, which names them', async () => {
    await store(oneLetter());
    const client = new TrainingClient(api);
    const { id } = await client.start({ base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }] });
    expect(await client.ended(id)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('The stored rows of dataset "trips" version 1 are damaged'),
    });
  });

  it.each<[string, (index: Buffer) => Uint8Array]>([
    ['another number', (index) => Buffer.from(index.toString().replace(/"offsets":\[0,(\d)/, '"offsets":[0,9'))],
    ['no JSON', () => Buffer.from('{')],
    ['other fields', () => Buffer.from(JSON.stringify({ step: 1000, rows: 1200, offsets: [0, 7] }))],
  ])('are found without a damaged index: %s', async (_, damage) => {
    const path = 'preview?offset=2001&limit=3';
    const before = (await get(path)).body;
    expect(before.rows[0]).toMatchObject({ text: expect.stringMatching(/^\w+ wants to fly/) });
    const index = await stored(indexKey(key));
    await store(damage(index), indexKey(key));
    expect((await get(path)).body).toEqual(before);
    await api.application.ports.objectStore.delete(indexKey(key));
    expect((await get(path)).body).toEqual(before);
    await store(index, indexKey(key));
  });
});
