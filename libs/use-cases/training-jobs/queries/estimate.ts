import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { pageOfTrainingJobs, SERVABLE } from '#projections/training-jobs/queries.js';
import { allChecks } from '../../all-checks.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { ModelResolver, type ResolvedModel } from '../../models/model-resolver.js';
import { DatasetClaims } from '../../datasets/dataset-claims.js';
import { requireOfKind, requireOfRows, typeOf } from '../configuration.js';
import { trainingTypeOf, type TrainingJobOrder } from '../order.js';
import { versionOf } from '../../datasets/version-of.js';

/** Heads whose labels are stretches of the text. */
const STRETCHES = ['entities', 'structures', 'relations'] as const;

/** Jobs looked at: the newest that are complete. */
const LOOKED_AT = 200;

/** Figures are null if there are no past jobs to take them from. */
export interface TrainingEstimate {
  readonly base_model: string;
  readonly rows: number;
  readonly epochs: number | null;
  /** By the median time of a row in an epoch, by the fastest and by the slowest. */
  readonly seconds: number | null;
  readonly seconds_low: number | null;
  readonly seconds_high: number | null;
  /** Number of past jobs. */
  readonly jobs: number;
  /** Memory for the vectors of words while it trains, at most; null if the base model has none. */
  readonly word_vector_bytes: number | null;
}

export class EstimateTraining extends CallerQuery<TrainingJobOrder, TrainingEstimate> {}

/** Estimates the time of a training from the workspace's own jobs on the same base model. */
@QueryHandler(EstimateTraining)
export class EstimateTrainingHandler implements IQueryHandler<EstimateTraining> {
  constructor(
    private readonly application: Application,
    private readonly models: ModelResolver,
    private readonly datasets: DatasetClaims,
  ) {}

  async execute({ caller, input: body }: EstimateTraining): Promise<TrainingEstimate> {
    const { workspaceId } = caller;
    const target = await this.models.targetOf(caller, body.base_model);
    const learned = body.datasets.filter(({ held_out }) => !held_out);
    const requests = learned.map(({ name, version }) => ({ name, version: versionOf(version) }));
    const [model, { rows, bytes, heads }] = await allChecks(
      this.models.resolveTrainable(caller, target, trainingTypeOf(body)),
      this.datasets.sizeOf(workspaceId, requests),
    );
    const type = typeOf(
      body,
      model,
      STRETCHES.some((head) => heads.has(head)),
    );
    requireOfKind(body, model);
    requireOfRows(body, { isPreferences: heads.has('preferences'), classRows: heads.has('classification') ? rows : 0 });
    const page = { limit: LOOKED_AT, offset: 0 };
    const { readStore } = this.application.ports;
    const { documents } = await pageOfTrainingJobs(readStore, workspaceId, { status: SERVABLE }, page);
    const runs = documents
      .filter((job) => job.baseModel.id === model.baseModel.id && job.configuration.trainingType === type)
      .flatMap(runOf);
    const epochs = body.nr_epochs ?? quantile(runs.map((run) => run.epochs).sort(ascending), 0.5);
    const rates = runs.map((run) => run.secondsPerRow / run.epochs).sort(ascending);
    const seconds = (at: number): number | null => {
      const rate = quantile(rates, at);
      return rate === null || epochs === null ? null : Math.round(rate * rows * epochs * 10) / 10;
    };
    return {
      ...{ rows, epochs, jobs: runs.length, base_model: model.baseModel.id },
      ...{ seconds: seconds(0.5), seconds_low: seconds(0), seconds_high: seconds(1) },
      word_vector_bytes: vectorBytes(model, bytes),
    };
  }
}

/** @param bytes of the rows as stored: a word has three and a space at least */
function vectorBytes({ engine, baseModel }: ResolvedModel, bytes: number): number | null {
  const held = engine.baseModels.find(({ id }) => id === baseModel.id)?.wordVectors;
  return held ? Math.min(held.maxWords, Math.ceil(bytes / 4)) * held.bytesOfWord : null;
}

/** Duration and rows of a job; none if its times are not on record. */
function runOf({ startedAt, completedAt, currentEpoch, datasets }: TrainingJobDocument) {
  const rows = datasets.reduce((sum, dataset) => sum + dataset.rows, 0);
  if (startedAt === null || completedAt === null || currentEpoch === 0 || rows === 0) return [];
  const seconds = (Date.parse(completedAt) - Date.parse(startedAt)) / 1_000;
  return [{ epochs: currentEpoch, secondsPerRow: seconds / rows }];
}

const ascending = (a: number, b: number): number => a - b;

/** @param at 0 for the least, 0.5 for the median, 1 for the greatest */
const quantile = (sorted: readonly number[], at: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? null;
