import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';

/** What the pages of single things are opened with. */
export interface FilledSystem {
  readonly dataset: string;
  readonly jobId: string;
  readonly evaluationId: string;
  readonly model: string;
  /** A call that has been corrected. */
  readonly inferenceId: string;
}

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const rowsOf = (file: string): readonly string[] => readFileSync(join(EXAMPLES, file), 'utf8').trimEnd().split('\n');

/** A system that somebody works with: two versions of a dataset and one that failed, a trained model with a name, calls, a correction. */
export async function fillSystem(api: TestApi): Promise<FilledSystem> {
  const rows = rowsOf('support-tickets.jsonl');
  await uploadDataset(api, { dataset_name: 'tickets' }, rows.slice(0, 200).join('\n'));
  await uploadDataset(api, { dataset_name: 'tickets' }, rows.slice(0, 260).join('\n'));
  await uploadDataset(api, { dataset_name: 'broken' }, '{"text": 7}\n');
  const training = new TrainingClient(api);
  const { id: jobId } = await training.start({
    model_name: 'tickets',
    base_model: 'anneal/encoder-base-v1',
    datasets: [{ name: 'tickets' }],
    nr_epochs: 3,
  });
  await training.ended(jobId);
  const { id: evaluationId } = await training.automaticEvaluation(jobId);
  await api.call('POST', '/models', { name: 'tickets', description: 'Support tickets' });
  await api.call('POST', '/models/tickets/versions', { training_job_id: jobId });
  await api.call('PUT', '/models/tickets/versions/1/promote', { reason: 'the first one' });
  const ids: string[] = [];
  for (const row of rows.slice(300, 330)) {
    const { text } = JSON.parse(row) as { text: string };
    ids.push((await api.call('POST', '/inference', { model_id: 'tickets', text })).body.inference_id as string);
  }
  const [inferenceId = ''] = ids;
  await api.drained();
  await api.call('POST', `/inferences/${inferenceId}/feedback`, {
    verdict: 'incorrect',
    notes: 'seen by a person',
    corrected_output: { entities: { person: ['Maria'] }, classification: 'account' },
  });
  await api.drained();
  return { dataset: 'tickets', jobId, evaluationId, model: 'tickets', inferenceId };
}
