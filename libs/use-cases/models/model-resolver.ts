import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { modelStreamId } from '#application/models.js';
import { ConflictError, InvalidError, NotFoundError } from '#domain/errors.js';
import type { EvaluatedModel } from '#domain/evaluation/index.js';
import { modelDecider, modelReferenceOf, referredVersion } from '#domain/model/index.js';
import {
  withoutTrainingState,
  type StoredFolder,
  type TrainingRequest,
  type TrainingType,
} from '#domain/training-job/index.js';
import { baseModelSha256, Engines, type BaseModelFacts, type EngineFacts } from '#gpu-runner/contract/engines.js';
import { Catalog, type CatalogEntry } from '#models/catalog/catalog.js';
import { VisibleCatalog } from '#models/catalog/visible-catalog.js';
import { trainingCheckpointDocuments } from '#projections/training-checkpoints/queries.js';
import { jobOnLog } from '../training-jobs/require-job.js';

/** The model that a `base_model` names. */
export interface ResolvedModel extends FoundModel {
  readonly baseModel: { readonly id: string; readonly sha256: string };
  /** The engine that has the base model. */
  readonly engine: EngineFacts;
  /** Heads that the model can learn; of a model to be measured, those that it may have: only its runner knows which. */
  readonly heads: BaseModelFacts['heads'];
  /** Whether it generates text. */
  readonly generates: boolean;
  /** Whether it can be given tools. A provider decides for the models that it hosts. */
  readonly takesTools: boolean;
}

/** A model that is to be measured: one that an engine here has, or one that a provider hosts. */
interface MeasurableModel extends FoundModel, Pick<ResolvedModel, 'heads' | 'generates' | 'takesTools'> {
  readonly baseModel: EvaluatedModel['baseModel'];
  /** For a hosted model, the provider's name and the model's id there. */
  readonly engine: Pick<EngineFacts, 'name' | 'version'>;
  readonly isHosted: boolean;
}

type MeasurableField = 'base_model' | 'model_id' | 'judge_model_id';

interface FoundModel {
  readonly baseModelId: string;
  /** Files of a checkpoint or finished job on the base; null for the base alone. */
  readonly adapter: StoredFolder | null;
  /** null for a base model alone, or for a finished job. */
  readonly checkpointId: string | null;
  readonly job: TrainingRequest | null;
}

/** Resolves what clients call a model: a catalog id or alias, a checkpoint of one's own, or a job of one's own. */
@Injectable()
export class ModelResolver {
  /** Hashes of base models by folder; computed once. */
  private readonly sha256 = new Map<string, Promise<string>>();

  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
    private readonly visible: VisibleCatalog,
    private readonly engines: Engines,
  ) {}

  /**
   * A model that is to be trained on.
   * @throws NotFoundError unknown, deleted, or of another workspace
   * @throws ConflictError a job that has not finished, or a model whose base model is no longer available
   * @throws InvalidError it cannot be trained, or not in this way
   */
  async resolveTrainable(caller: Caller, id: string, trainingType: TrainingType): Promise<ResolvedModel> {
    const found = await this.find(caller, id);
    const entry = this.catalog.resolve(found.baseModelId);
    if (!entry?.supports_training || entry.provider !== null)
      throw notAllowed('base_model', `${found.baseModelId} cannot be trained; GET /base-models?supports_training=true`);
    if (trainingType === 'full' && entry.task_type !== 'encoder')
      throw notAllowed('training_type', `must be lora: ${entry.id} is a ${entry.task_type}, and full is for encoders`);
    return this.pinned(id, found, true);
  }

  /**
   * A model that is to be measured on a labelled dataset.
   * @throws NotFoundError, ConflictError as `resolveTrainable`
   * @param field of the request that names it
   * @throws InvalidError it is an embedder, or is hosted and cannot answer chats
   */
  async resolveMeasurable(caller: Caller, id: string, field: MeasurableField): Promise<MeasurableModel> {
    const found = await this.find(caller, id);
    const entry = this.catalog.resolve(found.baseModelId);
    if (entry?.task_type === 'embedding')
      throw notAllowed(
        field,
        `${entry.id} cannot be evaluated: it makes embeddings; GET /base-models?supports_training=true`,
      );
    if (entry && entry.provider !== null && found.job === null) return hostedModel(found, entry, field);
    return { ...(await this.pinned(id, found, found.adapter !== null)), isHosted: false };
  }

  /**
   * The id that a name refers to now, which gets pinned; any other id unchanged.
   * @throws ConflictError a name without a version in use
   */
  async targetOf(caller: Caller, id: string): Promise<string> {
    const reference = modelReferenceOf(id);
    if (!reference || (await this.visible.resolve(caller, id))) return id;
    const { name, ref } = reference;
    const state = await this.application.load(modelDecider, modelStreamId(caller.workspaceId, name));
    if (state.status !== 'active') return id;
    const version = referredVersion(state, ref);
    if (!version && ref === null) throw new ConflictError(`model ${name} has no version in use; promote one first`);
    return version?.target ?? id;
  }

  /** Whether a call by this id runs a model of the catalog. */
  async isOfCatalog(caller: Caller, id: string): Promise<boolean> {
    return (await this.visible.resolve(caller, id)) !== null;
  }

  private async find(caller: Caller, id: string): Promise<FoundModel> {
    const { workspaceId } = caller;
    const entry = await this.visible.resolve(caller, id);
    if (entry) return { baseModelId: entry.id, adapter: null, checkpointId: null, job: null };
    const found = (await this.checkpoint(workspaceId, id)) ?? (await this.job(workspaceId, id));
    if (!found) throw new NotFoundError('model', id);
    return found;
  }

  private async pinned(id: string, found: FoundModel, isTrained: boolean): Promise<ResolvedModel> {
    const { baseModelId, job } = found;
    const here = this.engines.baseModel(baseModelId);
    if (!here) throw new ConflictError(`model ${id} needs base model ${baseModelId}, which no engine here trains`);
    const sha256 = await this.identityOf(here.model.directory);
    if (job && job.baseModel.sha256 !== sha256)
      throw new ConflictError(
        `model ${id} was trained on another release of base model ${baseModelId}; train it again on this one`,
      );
    const { heads, trainedHeads = [], generation } = here.model;
    return {
      ...found,
      baseModel: { id: baseModelId, sha256 },
      engine: here.engine,
      heads: isTrained ? [...heads, ...trainedHeads] : heads,
      generates: generation !== undefined,
      takesTools: generation?.features.includes('tools') ?? false,
    };
  }

  private identityOf(directory: string): Promise<string> {
    let sha256 = this.sha256.get(directory);
    if (!sha256) {
      this.sha256.set(directory, (sha256 = baseModelSha256(directory)));
      sha256.catch(() => this.sha256.delete(directory));
    }
    return sha256;
  }

  private async checkpoint(workspaceId: string, id: string): Promise<FoundModel | null> {
    const seen = await trainingCheckpointDocuments.get(this.application.ports.readStore, id);
    const job = seen && (await jobOnLog(this.application, workspaceId, seen.jobId));
    const checkpoint = job?.checkpoints.find(({ checkpointId }) => checkpointId === id);
    return job && checkpoint ? found(job.request, withoutTrainingState(checkpoint.folder), id) : null;
  }

  private async job(workspaceId: string, id: string): Promise<FoundModel | null> {
    const job = await jobOnLog(this.application, workspaceId, id);
    if (!job) return null;
    if (job.status !== 'complete' && job.status !== 'deployed')
      throw new ConflictError(`training job ${id} is ${job.status}; its model can be used once it is complete`);
    return found(job.request, job.artifact, null);
  }
}

const found = (job: TrainingRequest, adapter: StoredFolder, checkpointId: string | null): FoundModel => ({
  ...{ baseModelId: job.baseModel.id, adapter, checkpointId, job },
});

function hostedModel(found: FoundModel, entry: CatalogEntry, field: string): MeasurableModel {
  const { id, provider, task_type: kind, instruct, supports_inference: answers } = entry;
  if (kind !== 'decoder' || !instruct || !answers)
    throw notAllowed(field, `${id} cannot be evaluated: a provider hosts it, and it answers no chats`);
  return {
    ...found,
    baseModel: { id, sha256: null },
    engine: { name: provider!.name, version: provider!.model },
    ...{ heads: [], generates: true, takesTools: true, isHosted: true },
  };
}

export const rootJobOf = ({ job }: ResolvedModel): TrainingRequest['rootJobId'] => job && (job.rootJobId ?? job.jobId);

const notAllowed = (field: string, message: string): InvalidError =>
  new InvalidError({ path: ['body', field], message, type: 'not_allowed' });
