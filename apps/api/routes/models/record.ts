import { policyOf } from '#domain/improvement/index.js';
import { versionOf, type NamedModel } from '#domain/model/index.js';
import type { ConfidenceFigures } from '#domain/training-job/index.js';
import { streamName } from '#domain/streams.js';
import { confidenceRecord } from '../training-jobs/reading/record.js';
import { policyRecord } from '../improvements/policy.js';
import type { NamedModelRecord, ShadowAgreement } from './dto.js';

/** A model as lists show it. */
export const listedModel = (model: NamedModel): NamedModelRecord => ({
  name: model.name,
  description: model.description,
  version: model.inUse,
  model_id: versionOf(model, model.inUse)?.target ?? null,
  labels: model.labels,
  traffic: model.traffic,
  shadow_version: model.shadow,
  policy: model.policy && policyRecord(policyOf(model.policy)),
  stream: streamName('model', model.modelId),
  created_by: model.createdBy,
  created_at: model.createdAt,
  updated_at: model.updatedAt,
});

/** A model with its versions and promotions. */
export const modelRecord = (model: NamedModel): NamedModelRecord => ({
  ...listedModel(model),
  versions: model.versions.toReversed().map(({ version, target, trainingJobId, baseModel, addedBy, addedAt }) => ({
    version,
    model_id: target,
    training_job_id: trainingJobId,
    base_model: baseModel,
    labels: Object.keys(model.labels).filter((label) => model.labels[label] === version),
    added_by: addedBy,
    added_at: addedAt,
  })),
  promotions: [...model.promotions],
});

/**
 * Confidences of the version in use.
 * @param precision wanted of answers
 */
export const confidencesRecord = (
  confidences: Readonly<Record<string, ConfidenceFigures>>,
  precision: number | undefined,
): NonNullable<NamedModelRecord['confidence']> =>
  Object.fromEntries(
    Object.entries(confidences).map(([head, figures]) => [
      head,
      {
        ...confidenceRecord(figures),
        ...(precision !== undefined && { threshold_for_precision: thresholdFor(precision, figures) }),
      },
    ]),
  );

/** The lowest threshold, so the one with the most answers; null if none has the precision. */
const thresholdFor = (precision: number, { curve }: ConfidenceFigures): number | null =>
  curve.find((point) => point.precision !== null && point.precision >= precision)?.threshold ?? null;

/** @param alike calls with the same answer, of those compared */
export const agreementRecord = ({
  compared,
  alike,
}: Readonly<Record<'compared' | 'alike', number>>): ShadowAgreement => ({
  ...{ compared, equal: alike, share: compared === 0 ? null : alike / compared },
});
