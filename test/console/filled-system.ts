import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { TICKETS as rows } from './tickets.js';

/** Ids with which the pages of single things are opened. */
export interface FilledSystem {
  readonly dataset: string;
  readonly jobId: string;
  readonly evaluationId: string;
  readonly model: string;
  /** A call that has been corrected. */
  readonly inferenceId: string;
  readonly webhookId: string;
}

/** A system that somebody works with: two versions of a dataset and one that failed, a trained model with a name, calls, a correction. */
export async function fillSystem(api: TestApi): Promise<FilledSystem> {
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
  const must = async (method: string, path: string, body: object): Promise<{ inference_id?: string }> => {
    const answer = await api.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as { inference_id?: string };
  };
  await must('POST', '/models', { name: 'tickets', description: 'Support tickets' });
  await must('POST', '/models/tickets/versions', { training_job_id: jobId });
  await must('PUT', '/models/tickets/versions/1/promote', { reason: 'the first one' });
  const ids: string[] = [];
  for (const row of rows.slice(300, 330)) {
    const { text } = JSON.parse(row) as { text: string };
    ids.push((await must('POST', '/inference', { model_id: 'tickets', text })).inference_id!);
  }
  const [inferenceId = ''] = ids;
  await api.drained();
  await must('POST', `/inferences/${inferenceId}/feedback`, {
    verdict: 'incorrect',
    notes: 'seen by a person',
    corrected_output: { entities: {}, classification: 'account' },
  });
  const { body: webhook } = await api.call('POST', '/webhooks', { url: 'https://example.com/hooks', types: ['drift'] });
  await must('PATCH', `/webhooks/${webhook.id}`, { enabled: false });
  await api.drained();
  return { dataset: 'tickets', jobId, evaluationId, model: 'tickets', inferenceId, webhookId: webhook.id };
}
