import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { HubServer, type Fault } from '#test/hub-server/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';

describe('an error message', () => {
  let api: TestApi;
  let client: TrainingClient;
  let hub: HubServer;
  let jobId: string;
  beforeAll(async () => {
    hub = await HubServer.start();
    api = await startTestApi({ rateLimits: false, hubUrl: hub.url }, { engines: QUICK_ENGINES });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'trips', filename: 'a.jsonl' }, trips(20));
    jobId = (await client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1 })).id;
    await client.ended(jobId);
    await client.automaticEvaluation(jobId);
  });
  afterAll(async () => {
    await api.close();
    await hub.close();
  });

  /** Asserts that no path of the server and no key of its object store occurs. */
  const expectNoPath = (said: unknown) => {
    const text = JSON.stringify(said);
    expect(text).not.toMatch(/\/tmp|\/home|\/usr|\/work|node_modules|dist\/|jobs\/|objects\/|file:/);
    expect(text).not.toContain(api.settings.dataDir);
  };

  it.each<[string, () => Promise<void>]>([
    ['damaged', () => eachWeight((key, size) => api.application.ports.objectStore.put(key, Buffer.alloc(size)))],
    ['gone', () => eachWeight((key) => api.application.ports.objectStore.delete(key))],
  ])('names no path where the weights are %s', async (_, damage) => {
    await damage();
    const answers = [
      await api.call('POST', '/inference', { model_id: jobId, text: 'Anna' }),
      await api.call('GET', `/felix/training-jobs/${jobId}/download`),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(409);
      expectNoPath(body);
    }
    const evaluation = await client.evaluate({ base_model: jobId, dataset_name: 'trips' });
    expect(evaluation).toMatchObject({ status: 'failed', error_message: expect.stringMatching(/weights/) });
    expectNoPath(evaluation.error_message);
  });

  it.each([
    ['cut-off.parquet', Buffer.from('PAR1xxxxxxxxPAR1')],
    ['none.parquet', Buffer.from('{"text": 1}')],
    ['none.jsonl', Buffer.from([0xff, 0xfe, 0x00])],
    ['torn.json', Buffer.from('[{"text": "a"},')],
    ['torn.csv', Buffer.from('text,label\n"a,b')],
    ['torn.jsonl.gz', gzipSync(trips(20)).subarray(0, 100)],
    ['torn.zip', Buffer.from('PK\x03\x04torn')],
  ])('names no path where an uploaded file is %s', async (filename, content) => {
    const version = await uploadDataset(api, { dataset_name: filename, filename }, content);
    expect(version.status).toBe('failed');
    expectNoPath([version.processing_error, version.row_errors]);
  });

  it.each<[string, Fault]>([
    ['fails', (exchange) => (exchange.refuse(500, null, 'failed'), true)],
    ['breaks off', ({ request }) => !!request.destroy()],
    ['answers with something else', (exchange) => (exchange.send(200, 'hello'), true)],
    ['leads to a file', (exchange) => (exchange.redirect(302, 'file:///etc/passwd'), true)],
    ['leads into the own network', (exchange) => (exchange.redirect(302, 'http://169.254.169.254/'), true)],
  ])('names no path where the hub %s', async (_, fault) => {
    hub.add('ada/set', { 'train.jsonl': trips(20) });
    hub.fault = fault;
    for (const route of ['pull-from-hub', 'preview-from-hub', 'trips/latest/push-to-hub'])
      await expectRefusal('POST', `/felix/datasets/${route}`, HUB_BODIES[route]!);
    hub.fault = null;
  });

  it('names no path where a file of the hub is damaged', async () => {
    hub.add('ada/damaged', { 'train.parquet': 'PAR1xxxxxxxxPAR1' });
    const pull = { repo_id: 'ada/damaged', dataset_name: 'pulled', dataset_type: 'ner' };
    const preview = await api.call('POST', '/felix/datasets/preview-from-hub', { repo_id: 'ada/damaged' });
    expect(preview.status).toBe(422);
    expectNoPath(preview.body);
    const { body } = await api.call('POST', '/felix/datasets/pull-from-hub', pull);
    expect(body).toMatchObject({ name: 'pulled' });
    const version = await settled(api, `/felix/datasets/pulled/${body.version_number}`);
    expect(version.status).toBe('failed');
    expectNoPath([version.processing_error, version.row_errors]);
  });

  // The last cases damage what the others read.
  it.each<[string, () => Promise<unknown>]>([
    ['damaged', () => eachObject('datasets/', (key) => api.application.ports.objectStore.put(key, Buffer.from('x')))],
    ['gone', () => eachObject('datasets/', (key) => api.application.ports.objectStore.delete(key))],
  ])('names no path where the rows of a dataset are %s', async (name, damage) => {
    await damage();
    for (const path of ['preview', 'download', 'download?format=parquet'])
      await expectRefusal('GET', `/felix/datasets/trips/1/${path}`);
    await expectRefusal('POST', '/felix/datasets/trips/1/push-to-hub', HUB_BODIES['trips/latest/push-to-hub']);
    const sources = [{ dataset_name: 'trips' }, { dataset_name: 'trips' }];
    await api.call('POST', '/felix/datasets/merge', { sources, output_name: name });
    expectNoPath(await settled(api, `/felix/datasets/${encodeURIComponent(name)}/1`));
    const job = await client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1 });
    expectNoPath((await client.ended(job.id)).error_message);
    expectNoPath(await client.evaluate({ base_model: BASE, dataset_name: 'trips' }));
  });

  it('names no path where the object store cannot be reached', async () => {
    const folder = join(api.settings.dataDir, 'objects');
    await rename(folder, `${folder}-away`);
    await writeFile(folder, '');
    for (const path of ['preview', 'download']) await expectRefusal('GET', `/felix/datasets/trips/1/${path}`);
    await expectRefusal('POST', '/felix/datasets/trips/1/push-to-hub', HUB_BODIES['trips/latest/push-to-hub']);
    await rm(folder);
    await rename(`${folder}-away`, folder);
  });

  const HUB_BODIES: Readonly<Record<string, object>> = {
    'pull-from-hub': { repo_id: 'ada/set', dataset_name: 'pulled', dataset_type: 'ner' },
    'preview-from-hub': { repo_id: 'ada/set' },
    'trips/latest/push-to-hub': { repo_id: 'ada/set', hf_token: 'hf_0123456789' },
  };

  async function expectRefusal(method: 'GET' | 'POST', path: string, body?: unknown): Promise<void> {
    const answer = await api.call(method, path, body);
    // A body that is refused before anything fails is 422.
    expect([200, 422].includes(answer.status) ? [path, answer] : null).toBeNull();
    expectNoPath(answer.body);
  }

  const eachWeight = (change: (key: string, size: number) => Promise<unknown>) =>
    eachObject(`jobs/${jobId}/1/artifact/`, change);

  async function eachObject(prefix: string, change: (key: string, size: number) => Promise<unknown>): Promise<void> {
    for await (const { key, size } of api.application.ports.objectStore.list(prefix)) await change(key, size);
  }
});
