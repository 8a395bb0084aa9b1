import {
  againstTraining,
  againstWeek,
  weekOf,
  weeksBefore,
  type DriftBaseline,
  type DriftIndices,
  type TrainingBaseline,
} from '#domain/drift/index.js';
import { distillationDecider, distillationOf, type CollectedCalls } from '#domain/distillation/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { versionOf, type ModelVersion, type NamedModel } from '#domain/model/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { NoReferenceError, type TrainingReferences } from '#rows/drift/index.js';
import type { DriftDocument } from '#projections/drift/projection.js';
import { weeksOfVersion } from '#projections/drift/queries.js';
import type { Application } from '#application/application.js';

/** A week of calls and how far it is from each baseline. */
export interface ComparedWeek {
  readonly document: DriftDocument;
  /** null: there is no such baseline. */
  readonly against: Readonly<Record<DriftBaseline, DriftIndices | null>>;
}

export interface VersionDrift {
  readonly version: ModelVersion;
  /** null: see `unavailable`. */
  readonly training: TrainingBaseline | null;
  /** Why there is no training to compare with. */
  readonly unavailable: string | null;
  /** Weeks with calls, newest first. */
  readonly weeks: readonly ComparedWeek[];
}

/**
 * Drift of the recorded calls of a version.
 * @param number null: of the version in use
 * @param weeks how many, up to the current one
 * @throws NotFoundError, ConflictError
 */
export async function driftOf(
  application: Application,
  references: TrainingReferences,
  model: NamedModel,
  { number, weeks, now }: { readonly number: number | null; readonly weeks: number; readonly now: string },
): Promise<VersionDrift> {
  const { workspaceId, name: modelName, inUse } = model;
  if (number === null && inUse === null)
    throw new ConflictError(`model ${modelName} has no version in use; name one with ?version=`);
  const version = versionOf(model, number ?? inUse);
  if (!version) throw new NotFoundError('version', `${modelName}@${number}`);
  const of = { workspaceId, modelName, modelVersion: version.version };
  const from = weeksBefore(weekOf(now), weeks);
  // The earliest week is compared with the one before it.
  const found = await weeksOfVersion(application.ports.readStore, of, from, weeks + 1);
  const known = found.length === 0 ? null : await trainingOf(application, references, model, version);
  const [training, unavailable] = typeof known === 'string' ? [null, known] : [known, null];
  const byWeek = new Map(found.map((each) => [each.week, each]));
  const compared = found
    .filter(({ week }) => week > from)
    .map((document): ComparedWeek => {
      const before = byWeek.get(weeksBefore(document.week, 1));
      return {
        document,
        against: {
          training: training && againstTraining(document, training),
          previous_week: before ? againstWeek(document, before, training) : null,
        },
      };
    });
  return { version, training, unavailable, weeks: compared };
}

/** @returns the reason if there is none */
async function trainingOf(
  application: Application,
  references: TrainingReferences,
  { modelId, workspaceId }: NamedModel,
  { trainingJobId, distillationId }: ModelVersion,
): Promise<TrainingBaseline | string> {
  if (trainingJobId === null) return 'the version is a model of the catalog, which no training job made';
  const job = await application.load(trainingJobDecider, trainingJobId);
  if (job.status !== 'complete' && job.status !== 'deployed') return 'the training job was deleted';
  try {
    const learned = await references.of({ jobId: trainingJobId, workspaceId, datasets: job.request.datasets });
    if (distillationId === undefined) return learned;
    const calls = distillationOf(await application.load(distillationDecider, modelId), distillationId)?.calls;
    return calls ? learned.withOthers(notMapped(calls, learned.reference.counts.texts)) : learned;
  } catch (error) {
    if (error instanceof NoReferenceError) return error.message;
    throw error;
  }
}

/** The calls whose answers could not be learned, as if copies had been dropped from them too. */
const notMapped = ({ ofTask, notMapped: calls }: CollectedCalls, rows: number): number =>
  Math.round((rows * calls) / Math.max(1, ofTask - calls));
