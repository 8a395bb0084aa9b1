import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import type { FilledSystem } from './filled-system.js';

/** Names as long as they may be, without a place to break. */
export const LONG_NAME = `tickets_${'w'.repeat(56)}`;
const LONG_LABEL = `label_${'m'.repeat(90)}`;
const MANY_LABELS = 500;
const ARABIC = 'سافرت ليلى من دمشق إلى برلين يوم الاثنين';

/** A system with what is rare: long names and labels, 500 labels, text from right to left, long texts, a training that fails. */
export async function strangeSystem(api: TestApi): Promise<FilledSystem> {
  const few = [
    { text: ARABIC, entities: [['ليلى', 'person'], ['دمشق', 'city'], ['برلين', LONG_LABEL]] }, // prettier-ignore
    { text: `${'Lorem ipsum dolor sit amet '.repeat(200)} by Ada`, entities: [['Ada', 'person']] },
    { text: 'x'.repeat(2_000), entities: [['x'.repeat(1_900), 'person']] },
  ];
  const many = Array.from({ length: MANY_LABELS }, (_, n) => ({
    text: `Part number${n} was sent to Ghent on day ${n}`,
    entities: [[`number${n}`, `label_${n}`]],
  }));
  const linesOf = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join('\n');
  // Small enough to be learned at once.
  await uploadDataset(api, { dataset_name: LONG_NAME }, linesOf([...few, ...few, ...many.slice(0, 20)]));
  await uploadDataset(api, { dataset_name: LONG_NAME }, linesOf([...few, ...many]));
  await uploadDataset(api, { dataset_name: 'broken' }, `{"text": "${'y'.repeat(300)}", "entities": 7}\n`);
  const training = new TrainingClient(api);
  const { id: jobId } = await training.start({
    model_name: LONG_NAME,
    base_model: 'anneal/encoder-base-v1',
    datasets: [{ name: LONG_NAME, version: '1' }],
    nr_epochs: 1,
  });
  await training.ended(jobId);
  const must = async (method: string, path: string, body: object): Promise<{ inference_id?: string }> => {
    // Keys are made in a session.
    const answer = await api.call(method, path, body, { authorization: `Bearer ${api.session}` });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as { inference_id?: string };
  };
  await must('POST', '/models', { name: LONG_NAME, description: 'z'.repeat(400) });
  await must('POST', `/models/${LONG_NAME}/versions`, { training_job_id: jobId });
  await must('PUT', `/models/${LONG_NAME}/versions/1/promote`, { reason: 'r'.repeat(400) });
  const ids: string[] = [];
  for (const { text } of [...few, ...many.slice(0, 1)])
    ids.push((await must('POST', '/inference', { model_id: LONG_NAME, text })).inference_id!);
  const [inferenceId = ''] = ids;
  await must('POST', '/create-api-key', { name: 'k'.repeat(100) });
  await must('POST', '/account/holds', { kind: 'dataset', id: LONG_NAME, reason: 'h'.repeat(400) });
  const { body: webhook } = await api.call('POST', '/webhooks', {
    url: `https://example.com/${'p'.repeat(1_900)}`,
    description: 'd'.repeat(200),
  });
  await must('PATCH', `/webhooks/${webhook.id}`, { enabled: false });
  await api.drained();
  const { id: evaluationId } = await training.automaticEvaluation(jobId);
  return { dataset: LONG_NAME, jobId, evaluationId, model: LONG_NAME, inferenceId, webhookId: webhook.id };
}
