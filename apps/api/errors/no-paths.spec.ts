import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';

describe('an error message', () => {
  let api: TestApi;
  let client: TrainingClient;
  let jobId: string;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'trips', filename: 'a.jsonl' }, trips(20));
    jobId = (await client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1 })).id;
    await client.ended(jobId);
    await client.automaticEvaluation(jobId);
  });
  afterAll(() => api.close());

  /** Asserts that no path of the server and no key of its object store occurs. */
  const expectNoPath = (said: unknown) => {
    const text = JSON.stringify(said);
    expect(text).not.toMatch(/\/tmp|\/home|\/usr|\/work|node_modules|dist\/|jobs\/|objects\/|file:/);
    expect(text).not.toContain(api.settings.dataDir);
  };

  it.each<[string, () => Promise<void>]>([
    ['damaged', () => eachWeight((key, size) => api.application.ports.objectStore.put(key, Buffer.alloc(size)))],
    ['gone', () => eachWeight((key) => api.application.ports.objectStore.delete(key))],
  ])(
    'names no path where the weights are %s',
    async (_, damage) => {
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
    },
    60_000,
  );

  it.each([
    ['cut off', Buffer.from('PAR1xxxxxxxxPAR1')],
    ['no Parquet at all', Buffer.from('{"text": 1}')],
  ])('names no path where a Parquet file is %s', async (name, content) => {
    const body = { dataset_name: name, filename: 'a.parquet', format: 'parquet' };
    const version = await uploadDataset(api, body, content);
    expect(version.status).toBe('failed');
    expectNoPath([version.processing_error, version.row_errors]);
  });

  const eachWeight = async (change: (key: string, size: number) => Promise<unknown>) => {
    for await (const { key, size } of api.application.ports.objectStore.list(`jobs/${jobId}/1/artifact/`))
      await change(key, size);
  };
});
