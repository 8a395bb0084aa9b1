import type { CollectedFeedback, Improvement } from '#domain/improvement/index.js';
import { streamName } from '#domain/streams.js';
import type { Page } from '#log/projector/documents.js';
import type { CollectedRecord, ImprovementList, ImprovementRecord } from './dto.js';
import { policyRecord } from './policy.js';

const collectedRecord = ({ rows, conflicts, leftOut }: CollectedFeedback): CollectedRecord => ({
  rows,
  conflict_count: conflicts,
  left_out: {
    unsure: leftOut.unsure,
    without_content: leftOut.withoutContent,
    other_tasks: leftOut.otherTasks,
    duplicates: leftOut.duplicates,
  },
});

/** An improvement as the interface shows it. */
export const improvementRecord = (improvement: Improvement): ImprovementRecord => {
  const { request, stage, dataset, collected, evaluations, decision, forced, end } = improvement;
  return {
    id: request.improvementId,
    model: request.name,
    status: stage,
    outcome: end?.outcome ?? null,
    version: end?.version ?? null,
    reason: end?.reason ?? null,
    trigger: request.trigger,
    champion_version: request.champion.version,
    champion_model_id: request.champion.trainingJobId,
    dataset_name: dataset?.name ?? null,
    dataset_version: dataset?.version ?? null,
    collected: collected ? collectedRecord(collected) : null,
    training_job_id: improvement.jobId,
    evaluations: (evaluations ?? []).map(({ rows, candidateId, championId }) => ({
      ...{ rows, candidate_id: candidateId, champion_id: championId },
    })),
    gate: decision && { passed: decision.passed, rules: [...decision.rules], decided_at: decision.decidedAt },
    forced,
    policy: policyRecord(request.policy),
    stages: [...improvement.stages],
    stream: streamName('improvement', request.modelId),
    created_at: improvement.requestedAt,
    completed_at: end?.at ?? null,
  };
};

export const improvementList = ({ documents, total }: Page<Improvement>): ImprovementList => ({
  ...{ improvements: documents.map(improvementRecord), count: documents.length, total },
});
