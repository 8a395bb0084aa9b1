import {
  bandOf,
  labelShares,
  mondayOf,
  NO_LABEL,
  type DriftIndices,
  type TrainingBaseline,
} from '#domain/drift/index.js';
import type { ComparedWeek, VersionDrift } from '#use-cases/models/drift.js';
import type { DriftIndex, DriftIndicesRecord, DriftWeekRecord, ModelDrift } from './drift-dto.js';

const MAX_LABELS = 50;

/** The drift of a version of the model with this name. */
export const driftRecord = (
  model: string,
  { version: { version, trainingJobId }, training, unavailable, weeks }: VersionDrift,
): ModelDrift => ({
  ...{ model, version, training_job_id: trainingJobId },
  training: training && { rows: training.reference.counts.texts, unseen_words: rounded(training.expectedUnseen) },
  training_unavailable: unavailable,
  weeks: weeks.map((week) => weekRecord(week, training)),
});

function weekRecord({ document, against }: ComparedWeek, training: TrainingBaseline | null): DriftWeekRecord {
  const { week, calls, counts } = document;
  const found = new Map(labelShares(counts).map(({ key, share }) => [key, share]));
  const learned = training ? labelShares(training.reference.counts) : [];
  const labels = learned.flatMap(({ key, share }) => {
    const label = training!.nameOf(key);
    return label === null ? [] : [{ label, share: found.get(key) ?? 0, training_share: share }];
  });
  const noLabel = found.get(NO_LABEL) ?? 0;
  const known = labels.reduce((sum, { share }) => sum + share, noLabel);
  const unseen = training?.unseen(document) ?? null;
  return {
    ...{ week, begins: mondayOf(week), calls, texts: counts.texts },
    labels: labels
      .sort((a, b) => b.share - a.share || b.training_share - a.training_share)
      .slice(0, MAX_LABELS)
      .map((each) => ({ ...each, share: rounded(each.share), training_share: rounded(each.training_share) })),
    no_label_share: rounded(noLabel),
    other_labels_share: found.size === 0 ? 0 : rounded(Math.max(0, 1 - known)),
    unseen_words: unseen === null ? null : rounded(unseen),
    against: { training: indicesRecord(against.training), previous_week: indicesRecord(against.previous_week) },
  };
}

const indicesRecord = (indices: DriftIndices | null): DriftIndicesRecord | null =>
  indices && {
    labels: indexRecord(indices.labels),
    confidence: indexRecord(indices.confidence),
    length: indexRecord(indices.length),
    unseen_words: indexRecord(indices.unseen_words),
  };

const indexRecord = (psi: number | null): DriftIndex | null =>
  psi === null ? null : { psi: rounded(psi), band: bandOf(psi) };

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
