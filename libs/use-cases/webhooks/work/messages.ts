import type { Application } from '#application/application.js';
import { datasetDecider } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import type { WebhookType } from '#domain/webhook/index.js';
import type { RecordedEvent } from '#ports/event-store/port.js';

type MessageData = (event: RecordedEvent, application: Application) => JsonObject | Promise<JsonObject>;

interface Message {
  readonly type: (event: RecordedEvent) => WebhookType;
  /** Ids and states, with which a receiver queries the API. */
  readonly data: MessageData;
}

const message = (type: WebhookType, data: MessageData): Message => ({ type: () => type, data });
const idAnd =
  (field: string, id: string, status: string): MessageData =>
  ({ data }) => ({ [field]: data[id]!, status });

/** Messages to endpoints, by the type of event on the log. */
export const MESSAGES: Readonly<Record<string, Message>> = {
  'dataset-version-ready.v1': message('dataset.ready', datasetVersion('ready')),
  'dataset-version-failed.v1': message('dataset.failed', datasetVersion('failed')),
  'training-job-completed.v1': message('training_job.completed', idAnd('training_job_id', 'jobId', 'complete')),
  'training-job-failed.v1': message('training_job.failed', idAnd('training_job_id', 'jobId', 'failed')),
  'training-job-cancelled.v1': message('training_job.cancelled', idAnd('training_job_id', 'jobId', 'cancelled')),
  'evaluation-completed.v1': message('evaluation.completed', idAnd('evaluation_id', 'evaluationId', 'complete')),
  'evaluation-failed.v1': message('evaluation.failed', idAnd('evaluation_id', 'evaluationId', 'failed')),
  'gate-decided.v1': message('gate.decided', ({ data }) => ({
    improvement_id: data['improvementId']!,
    passed: data['passed']!,
  })),
  'model-version-promoted.v1': {
    type: ({ data }) => (data['rollback'] === true ? 'model.rolled_back' : 'model.promoted'),
    data: ({ data }) => ({ model_name: data['name']!, version: data['version']!, previous_version: data['previous']! }),
  },
  'drift-detected.v1': message('drift', ({ data }) => ({
    ...{ model_name: data['name']!, version: data['version']!, week: data['week']! },
    ...{ measure: data['measure']!, against: data['against']!, psi: data['psi']! },
  })),
  'distillation-ended.v1': message('distillation.ended', ({ data }) => ({
    ...{ distillation_id: data['distillationId']!, status: data['outcome']!, version: data['version']! },
  })),
  'cascade-returned.v1': message('cascade.returned', ({ data }) => ({
    ...{ distillation_id: data['distillationId']!, reason: data['reason']! },
    ...{ audited: data['audited']!, disagreements: data['disagreements']! },
  })),
  'act-proposed.v1': message('proposal.made', ({ data }) => ({
    ...{ proposal_id: data['proposalId']!, act: data['act']!, expires_at: data['expiresAt']! },
    status: 'open',
  })),
  'proposal-confirmed.v1': message('proposal.confirmed', idAnd('proposal_id', 'proposalId', 'confirmed')),
  'proposal-declined.v1': message('proposal.declined', idAnd('proposal_id', 'proposalId', 'declined')),
  'proposal-expired.v1': message('proposal.expired', idAnd('proposal_id', 'proposalId', 'expired')),
  'credits-ran-low.v1': message('credits.low', ({ data }) => ({ team_id: data['teamId']!, month: data['month']! })),
  'webhook-disabled.v1': message('webhook.disabled', ({ data }) => ({
    webhook_id: data['webhookId']!,
    reason: data['reason']!,
  })),
};

/** Routes find a version by its dataset's name and its number, which its event does not say. */
function datasetVersion(status: string): MessageData {
  return async ({ stream, data: { versionId } }, application) => {
    const { versions } = await application.load(datasetDecider, stream.slice('dataset-'.length));
    const version = versions.find((each) => each.versionId === versionId);
    const place = version ? { dataset_name: version.name, version_number: version.versionNumber } : {};
    return { dataset_id: versionId!, ...place, status };
  };
}
