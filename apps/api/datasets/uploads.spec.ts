import type { ProcessManagerHost } from '#process-manager/host.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { startDatasetProcessing, uploadDataset } from '#test/support/datasets.js';

describe('uploaded datasets', () => {
  let api: TestApi;
  let processing: ProcessManagerHost;
  beforeAll(async () => {
    api = await startTestApi();
    processing = startDatasetProcessing(api.application);
  });
  afterAll(async () => {
    await processing.close();
    await api.close();
  });

  test('become ready, with their rows, labels and heads', async () => {
    const rows = [
      {
        text: 'Ada flew to Paris',
        entities: [
          ['Ada', 'person'],
          ['Paris', 'city'],
        ],
        label: 'travel',
      },
      { text: 'nothing here', entities: [], label: 'none' },
    ];
    const ready = await uploadDataset(api, { dataset_name: 'trips', filename: 'a.json' }, JSON.stringify(rows));
    expect(ready).toMatchObject({
      status: 'ready',
      processing_error: null,
      sample_size: 2,
      labels: ['city', 'person', 'none', 'travel'],
      format: 'json',
    });
    const { body } = await api.call('GET', '/felix/datasets/trips/latest/preview');
    expect(body).toEqual({ rows, total_rows: 2 });
  });
});
