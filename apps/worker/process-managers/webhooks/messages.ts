import type { Application } from '#application/application.js';
import { datasetDecider } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import type { WebhookType } from '#domain/webhook/index.js';
import type { RecordedEvent } from '#ports/event-store/port.js';

interface Message {
  readonly type: WebhookType;
  /** Ids and states: what a receiver asks the API with. */
  readonly data: (event: RecordedEvent, application: Application) => JsonObject | Promise<JsonObject>;
}

const idAnd =
  (field: string, id: string, status: string): Message['data'] =>
  ({ data }) => ({ [field]: data[id]!, status });

/** What endpoints are told, by the type of event on the log. */
export const MESSAGES: Readonly<Record<string, Message>> = {
  'dataset-version-ready.v1': { type: 'dataset.ready', data: datasetVersion('ready') },
  'dataset-version-failed.v1': { type: 'dataset.failed', data: datasetVersion('failed') },
  'training-job-completed.v1': { type: 'training_job.completed', data: idAnd('training_job_id', 'jobId', 'complete') },
  'training-job-failed.v1': { type: 'training_job.failed', data: idAnd('training_job_id', 'jobId', 'failed') },
  'training-job-cancelled.v1': { type: 'training_job.cancelled', data: idAnd('training_job_id', 'jobId', 'cancelled') },
  'evaluation-completed.v1': { type: 'evaluation.completed', data: idAnd('evaluation_id', 'evaluationId', 'complete') },
  'evaluation-failed.v1': { type: 'evaluation.failed', data: idAnd('evaluation_id', 'evaluationId', 'failed') },
  'webhook-disabled.v1': {
    type: 'webhook.disabled',
    data: ({ data }) => ({ webhook_id: data['webhookId']!, reason: data['reason']! }),
  },
};

/** Routes find a version by its dataset's name and its number, which its event does not say. */
function datasetVersion(status: string): Message['data'] {
  return async ({ stream, data: { versionId } }, application) => {
    const { versions } = await application.load(datasetDecider, stream.slice('dataset-'.length));
    const version = versions.find((each) => each.versionId === versionId);
    const place = version ? { dataset_name: version.name, version_number: version.versionNumber } : {};
    return { dataset_id: versionId!, ...place, status };
  };
}
