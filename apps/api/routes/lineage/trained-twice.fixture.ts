import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

export const BASE = 'anneal/encoder-base-v1';

/**
 * Trains a job on `both`, merged of the datasets `trips` and `more`, and another one from it on `more`.
 * @returns the ids of the two jobs
 */
export async function trainedTwice(api: TestApi): Promise<{ readonly job: string; readonly tuned: string }> {
  await uploadDataset(api, { dataset_name: 'trips' }, trips(60));
  await uploadDataset(api, { dataset_name: 'more' }, trips(40));
  const sources = [{ dataset_name: 'trips' }, { dataset_name: 'more' }];
  const merged = await api.call('POST', '/felix/datasets/merge', { sources, output_name: 'both' });
  expect(merged.status).toBe(200);
  const client = new TrainingClient(api);
  const train = async (base_model: string, dataset: string) => {
    // Words of which no name of the workspace is made, so that no model has versions but those of the specs.
    const { id } = await client.start({ model_name: 'μ', base_model, datasets: [{ name: dataset }], nr_epochs: 1 });
    expect((await client.ended(id)).status).toBe('complete');
    return id;
  };
  const job = await train(BASE, 'both');
  return { job, tuned: await train(job, 'more') };
}
