import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { ConflictError, InvalidError, NotFoundError } from '#domain/errors.js';
import { withoutTrainingState, type StoredFolder, type TrainingRequest } from '#domain/training-job/index.js';
import { Catalog } from '#model-catalog/catalog.js';
import { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import { trainingCheckpointDocuments } from '#projections/training-checkpoints/queries.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';
import { PinnedEngine } from './pinned-engine.js';

/** What a `base_model` stands for. */
export interface ResolvedModel {
  readonly baseModel: { readonly id: string; readonly sha256: string };
  /** What stands on the base: the files of a checkpoint or of a finished job; null for the base alone. */
  readonly adapter: StoredFolder | null;
  /** null for a base model alone, or for a finished job. */
  readonly checkpointId: string | null;
  readonly job: TrainingJobDocument | null;
}

/** Resolves what clients call a model: a catalog id or alias, a checkpoint of one's own, or a job of one's own. */
@Injectable()
export class ModelResolver {
  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
    private readonly visible: VisibleCatalog,
    private readonly pinned: PinnedEngine,
  ) {}

  /**
   * @throws NotFoundError unknown, deleted, or of another workspace
   * @throws ConflictError a job that has not finished, or a model made on a base model that is no longer here
   */
  async resolve(caller: Caller, id: string): Promise<ResolvedModel> {
    const { workspaceId } = caller;
    const sha256 = await this.pinned.baseSha256();
    const entry = await this.visible.resolve(caller, id);
    if (entry) return { baseModel: { id: entry.id, sha256 }, adapter: null, checkpointId: null, job: null };
    const resolved = (await this.checkpoint(workspaceId, id)) ?? (await this.job(workspaceId, id));
    if (!resolved) throw new NotFoundError('model', id);
    if (resolved.baseModel.sha256 !== sha256)
      throw new ConflictError(
        `model ${id} was trained on another release of base model ${resolved.baseModel.id}; train it again on this one`,
      );
    return resolved;
  }

  /**
   * As `resolve`, for a model that is to be trained on.
   * @throws InvalidError it is known but cannot be trained, or not in this way
   */
  async resolveTrainable(caller: Caller, id: string, trainingType: 'lora' | 'full'): Promise<ResolvedModel> {
    const resolved = await this.resolve(caller, id);
    const entry = this.catalog.resolve(resolved.baseModel.id);
    if (!entry?.supports_training || entry.provider !== null)
      throw notAllowed(
        'base_model',
        `${resolved.baseModel.id} cannot be trained; GET /base-models?supports_training=true`,
      );
    if (trainingType === 'full' && entry.task_type !== 'encoder')
      throw notAllowed('training_type', `must be lora: ${entry.id} is a ${entry.task_type}, and full is for encoders`);
    return resolved;
  }

  /**
   * As `resolve`, for a model that is to be measured on a labelled dataset.
   * @throws InvalidError it is known, but none of the engines here measures it
   */
  async resolveMeasurable(caller: Caller, id: string): Promise<ResolvedModel> {
    const resolved = await this.resolve(caller, id);
    const entry = this.catalog.resolve(resolved.baseModel.id);
    if (entry && (entry.task_type !== 'encoder' || entry.provider !== null))
      throw notAllowed('base_model', `${entry.id} cannot be evaluated here; GET /base-models?task_type=encoder`);
    return resolved;
  }

  private async checkpoint(workspaceId: string, id: string): Promise<ResolvedModel | null> {
    const { readStore } = this.application.ports;
    const checkpoint = await trainingCheckpointDocuments.get(readStore, id);
    const job = checkpoint && (await trainingJobDocuments.get(readStore, checkpoint.jobId));
    if (!checkpoint || job?.workspaceId !== workspaceId) return null;
    return { baseModel: job.baseModel, adapter: withoutTrainingState(checkpoint.folder), checkpointId: id, job };
  }

  private async job(workspaceId: string, id: string): Promise<ResolvedModel | null> {
    const job = await trainingJobDocuments.get(this.application.ports.readStore, id);
    if (job?.workspaceId !== workspaceId) return null;
    if (!job.artifact)
      throw new ConflictError(`training job ${id} is ${job.status}; its model can be used once it is complete`);
    return { baseModel: job.baseModel, adapter: job.artifact, checkpointId: null, job };
  }
}

export const rootJobOf = ({ job }: ResolvedModel): TrainingRequest['rootJobId'] => job && (job.rootJobId ?? job.id);

const notAllowed = (field: string, message: string): InvalidError =>
  new InvalidError({ path: ['body', field], message, type: 'not_allowed' });
