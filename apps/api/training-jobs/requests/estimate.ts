import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { pageOfTrainingJobs, SERVABLE } from '#projections/training-jobs/queries.js';
import { allChecks } from '../../errors/index.js';
import { CallerQuery } from '../../messages.js';
import { ModelResolver } from './base-model.js';
import { DatasetClaims } from './datasets.js';
import type { CreateTrainingJobBody } from './dto.js';
import type { TrainingEstimate } from '../reading/responses.js';
import { versionOf } from './version-reference.js';

/** Jobs looked at: the newest that are complete. */
const LOOKED_AT = 200;

export class EstimateTraining extends CallerQuery<CreateTrainingJobBody, TrainingEstimate> {}

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
    const type = body.training_type ?? 'lora';
    const target = await this.models.targetOf(caller, body.base_model);
    const learned = body.datasets.filter(({ held_out }) => !held_out);
    const requests = learned.map(({ name, version }) => ({ name, version: versionOf(version) }));
    const [model, rows] = await allChecks(
      this.models.resolveTrainable(caller, target, type),
      this.datasets.rowsOf(workspaceId, requests),
    );
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
    };
  }
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
