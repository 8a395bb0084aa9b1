import { NO_EVIDENCE } from '#domain/distillation/audit.js';
import type { Distillation } from '#domain/distillation/index.js';
import { dollars } from '#domain/inference/index.js';
import { streamName } from '#domain/streams.js';
import type { Page } from '#log/projector/documents.js';
import type { SeenDistillation } from '#use-cases/distillation/queries/distillations.js';
import { BATCH_ID } from '#use-cases/files/ids.js';
import type { DistillationList, DistillationRecord } from './dto.js';

/** A distillation as the interface shows it. */
export const distillationRecord = (
  distillation: Distillation,
  seen: SeenDistillation['calls'] = null,
): DistillationRecord => {
  const { request, stage, stages, dataset, task, calls, bound, end } = distillation;
  return {
    id: request.distillationId,
    model: request.name,
    teacher: request.teacher,
    status: stage,
    reason: end?.reason ?? null,
    version: end?.version ?? null,
    target_agreement: request.targetAgreement,
    audit_share: request.auditShare,
    trigger: request.trigger ?? 'request',
    unmapped: request.unmapped,
    heads: request.heads ?? [],
    prompt_versions: request.promptVersions ?? 'newest',
    base_model: request.baseModel,
    task_type: request.taskType ?? 'encoder',
    task: task?.id ?? request.task,
    from_model: request.from.model ?? null,
    project_id: request.from.projectId,
    since: request.from.since,
    until: request.from.until,
    labelling: labellingRecord(distillation),
    calls: calls && {
      ...{ read: calls.read, left_out: calls.leftOut, of_task: calls.ofTask, not_mapped: calls.notMapped },
      other_versions: calls.otherVersions ?? 0,
      ...{ copies: calls.copies, near_copies: calls.nearCopies, rows: calls.rows, own_agreement: calls.ownAgreement },
    },
    dataset_name: dataset?.name ?? null,
    dataset_version: dataset?.version ?? null,
    training_job_id: distillation.jobId,
    evaluation_id: distillation.evaluationId,
    share: bound && bound.answered / bound.judged,
    bound,
    cascade: request.taskType === 'decoder' ? null : cascadeRecord(distillation, seen),
    stages: [...stages],
    stream: streamName('distillation', request.modelId),
    created_at: distillation.requestedAt,
    completed_at: end?.at ?? null,
  };
};

function cascadeRecord({ cascade }: Distillation, seen: SeenDistillation['calls']): DistillationRecord['cascade'] {
  const { watched = [], evidence = NO_EVIDENCE } = seen ?? {};
  return {
    ...{ state: cascade.state, threshold: cascade.threshold, suspected: cascade.isSuspected, reason: cascade.reason },
    ...{ watched: watched.length, watched_disagreements: watched.filter(({ agrees }) => !agrees).length },
    ...{ audited: evidence.audited, disagreements: evidence.disagreements },
  };
}

const labellingRecord = ({ request: { label }, labelling }: Distillation): DistillationRecord['labelling'] => {
  if (!label) return null;
  const { batchId = null, texts = null, copies = null, end = null } = labelling ?? {};
  return {
    ...{ dataset_name: label.dataset.name, dataset_version: label.dataset.version, budget: dollars(label.budget) },
    ...{ batch_id: batchId === null ? null : BATCH_ID.write(batchId), texts, copies },
    ...{ labelled: end?.labelled ?? null, not_labelled: end?.notLabelled ?? null, reason: end?.reason ?? null },
  };
};

export const distillationList = ({ documents, total }: Page<SeenDistillation>): DistillationList => ({
  distillations: documents.map(({ distillation, calls }) => distillationRecord(distillation, calls)),
  ...{ count: documents.length, total },
});
