import { hash } from 'node:crypto';
import type { Application } from '#application/application.js';
import type { BriefCache } from '#application/accounts/brief-cache.js';
import { callerContext, type Caller } from '#application/caller.js';
import { MODEL_CHANGED, modelStreamId } from '#application/models.js';
import type { Subscription } from '#ports/bus/port.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { policyOf, type CascadePolicy } from '#domain/improvement/index.js';
import { priceOf, type CallMetered } from '#domain/inference/index.js';
import {
  modelDecider,
  modelNameFor,
  modelReferenceOf,
  referredVersion,
  type ModelReferenceByName,
  type ModelState,
  type ModelVersion,
  type NamedModel,
  versionOf,
} from '#domain/model/index.js';
import { trainingJobDecider, type DatasetPin, type TrainingJobState } from '#domain/training-job/index.js';
import type { BaseModelFacts, EmbedderFacts, Engines } from '#gpu-runner/contract/engines.js';
import { INFERENCE_FORGET, type ForgetModel, type ModelReference } from '#gpu-runner/contract/inference.js';
import type { Catalog, CatalogEntry } from '#models/catalog/catalog.js';
import type { VisibleCatalog } from '#models/catalog/visible-catalog.js';
import type { TrainingJobStatus } from '#projections/training-jobs/projection.js';
import { pageOfTrainingJobs, SERVABLE, trainingJobDocuments } from '#projections/training-jobs/queries.js';
import type { CallRequest } from './request.js';

/** A model id of a request, resolved. */
export interface Model {
  /** The id as the caller wrote it. */
  readonly modelId: string;
  /** The model that runs: for a trained model, its base model. */
  readonly entry: CatalogEntry;
  /** The name that was called, and the version that answers; null for a call by another id. */
  readonly named: { readonly name: string; readonly version: number } | null;
  /** The shadow version, which answers calls of the name as well; null: there is none. */
  readonly shadow: (() => Promise<Model>) | null;
  /** Of a distilled version of the name, whose teacher answers where it is not sure; absent from all others. */
  readonly cascade?: { readonly distillationId: string; readonly policy: CascadePolicy };
  readonly trainingJobId: string | null;
  /** The trained model has not served a call before. */
  readonly isFirstCall: boolean;
  /** The location of the model's files, or an error naming the state in which it cannot serve. */
  readonly reference: ModelReference | ConflictError;
  readonly price: CallMetered['data']['price'];
  /** Heads that an encoder may have; null for any other model. */
  readonly heads: BaseModelFacts['heads'] | null;
  /** Versions that a trained model learned from; none for others. */
  readonly trainedOn: readonly DatasetPin[];
  /** null for any other model than an embedder. */
  readonly embedder: EmbedderFacts | null;
}

/** A model of the catalog by id or alias, without facts known only to an engine here. */
export function catalogModel(modelId: string, entry: CatalogEntry, price = priceOf(entry)): Model {
  const reference = entry.supports_inference
    ? { baseModelId: entry.id, adapter: null }
    : new ConflictError(`model ${modelId} is for training only; train it, then use the training job's id as model_id`);
  const untrained = { named: null, shadow: null, trainingJobId: null, isFirstCall: false, trainedOn: [] };
  return { modelId, entry, ...untrained, reference, price, heads: null, embedder: null };
}

/** A job's state may be this old: a job that has just been completed, deployed or deleted is seen within it. */
const FRESH_MS = 1_000;
const MAX_CACHED_JOBS = 10_000;

/** Jobs that have a model, or will; and how many of the newest are looked through for a name that is not in force yet. */
const CALLABLE: readonly TrainingJobStatus[] = ['requested', 'running', ...SERVABLE];
const MAX_LOOKED_AT = 200;

type StartedJob = Exclude<TrainingJobState, { status: 'none' | 'deleted' }>;

/** Finds the model that a call names: of the catalog by id or alias, or of the caller's workspace by name or training job. */
export class Models {
  /** Picodollars per token; computed once for each entry rather than per call. */
  private readonly prices = new WeakMap<CatalogEntry, Model['price']>();
  private readonly jobs = new Map<string, { readonly state: TrainingJobState; readonly at: number }>();
  /** States of names by stream id, at most a second old. */
  private readonly names: BriefCache<ModelState>;
  private readonly subscriptions: readonly Subscription[];

  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
    private readonly visible: VisibleCatalog,
    private readonly engines: Engines,
  ) {
    this.names = application.remember((id) => application.load(modelDecider, id));
    const { bus } = application.ports;
    this.subscriptions = [
      bus.listen(INFERENCE_FORGET, (body) => void this.jobs.delete((body as ForgetModel).id)),
      bus.listen(MODEL_CHANGED, (body) => this.names.drop((body as { id: string }).id)),
    ];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map((each) => each.stop()));
  }

  /**
   * @throws NotFoundError an unknown model, or another workspace's
   * @throws ConflictError a job whose base model is no longer in the catalog, or is hosted by a provider; a name
   * without a version in use, or whose version was removed
   */
  async resolve(caller: Caller, modelId: string): Promise<Model> {
    const found = this.visible.resolve(caller, modelId);
    const entry = found instanceof Promise ? await found : found;
    if (entry) return this.ofCatalog(modelId, entry);
    const reference = modelReferenceOf(modelId);
    const named = reference && (await this.named(caller, modelId, reference));
    if (named) return named;
    const job = await this.jobOf(caller, modelId);
    return job ? this.trained(modelId, modelId, job) : this.byWords(caller, modelId);
  }

  /**
   * A model by the words that its training was named with, such as `Trip finder` for `trip-finder`, and as soon as the
   * training is complete.
   * @throws NotFoundError; ConflictError its training is not complete
   */
  private async byWords(caller: Caller, modelId: string): Promise<Model> {
    const name = /[@/]/.test(modelId) ? null : modelNameFor(modelId);
    if (name === null) throw new NotFoundError('model', modelId);
    const named = name === modelId ? null : await this.named(caller, modelId, { name, ref: null });
    if (named) return named;
    const { readStore } = this.application.ports;
    const page = { limit: MAX_LOOKED_AT, offset: 0 };
    const { documents } = await pageOfTrainingJobs(readStore, caller.workspaceId, { status: CALLABLE }, page);
    const seen = documents.find((each) => each.named?.name === name);
    const job = seen && (await this.jobOf(caller, seen.id));
    if (job?.request.named?.name !== name) throw new NotFoundError('model', modelId);
    return this.trained(modelId, job.request.jobId, job);
  }

  /** Whether a name of the workspace refers to a version. */
  async isInUse({ workspaceId }: Caller, name: string): Promise<boolean> {
    const state = await this.stateOf(modelStreamId(workspaceId, name));
    return state.status === 'active' && state.inUse !== null;
  }

  /** null: the workspace has no such name. */
  private async named(caller: Caller, modelId: string, { name, ref }: ModelReferenceByName): Promise<Model | null> {
    const state = await this.stateOf(modelStreamId(caller.workspaceId, name));
    if (state.status !== 'active') return null;
    const version = ref === null ? this.ofShare(caller, state) : referredVersion(state, ref);
    if (!version) throw ref === null ? noneInUse(name) : new NotFoundError('model', modelId);
    const model = await this.ofVersion(caller, modelId, state, version);
    const shadow = ref === null && state.shadow !== version.version ? versionOf(state, state.shadow) : null;
    const { cascade } = policyOf(state.policy);
    const { distillationId } = version;
    return {
      ...model,
      ...(cascade && distillationId !== undefined && { cascade: { distillationId, policy: cascade } }),
      named: { name, version: version.version },
      shadow: shadow && (() => this.resolve(caller, `${name}@${shadow.version}`)),
    };
  }

  /** The version in use, or the one that a share of the callers gets. */
  private ofShare({ keyId, userId }: Caller, model: NamedModel): ModelVersion | null {
    const { name, traffic, inUse } = model;
    const isShared = traffic !== null && percentileOf(keyId ?? userId, name) < traffic.percent;
    return versionOf(model, isShared ? traffic.version : inUse);
  }

  private async stateOf(modelId: string): Promise<ModelState> {
    return this.names.fresh(modelId) ?? this.names.load(modelId);
  }

  private async ofVersion(
    caller: Caller,
    modelId: string,
    { name }: NamedModel,
    { version, target, trainingJobId }: ModelVersion,
  ): Promise<Model> {
    if (trainingJobId !== null) {
      const job = await this.jobOf(caller, trainingJobId);
      if (!job)
        throw new ConflictError(
          `version ${version} of model ${name} was trained by job ${trainingJobId}, which is deleted; promote another version`,
        );
      return this.trained(modelId, trainingJobId, job);
    }
    const entry = await this.visible.resolve(caller, target);
    if (!entry)
      throw new ConflictError(
        `version ${version} of model ${name} is ${target}, which is no longer served; promote another version`,
      );
    return this.ofCatalog(modelId, entry);
  }

  private ofCatalog(modelId: string, entry: CatalogEntry): Model {
    return { ...catalogModel(modelId, entry, this.priceOf(entry)), ...this.factsOf(entry, false) };
  }

  private priceOf(entry: CatalogEntry): Model['price'] {
    let price = this.prices.get(entry);
    if (!price) this.prices.set(entry, (price = priceOf(entry)));
    return price;
  }

  /** null: unknown, deleted, or another workspace's. */
  private async jobOf({ workspaceId }: Caller, jobId: string): Promise<StartedJob | null> {
    const state = await this.job(jobId);
    const isThere = state.status !== 'none' && state.status !== 'deleted' && state.request.workspaceId === workspaceId;
    return isThere ? state : null;
  }

  /** Records that the job's adapter has served its first call. @param commandId id of that call */
  async markDeployed(model: Model, { caller, correlationId }: CallRequest, commandId: string): Promise<void> {
    const jobId = model.trainingJobId;
    if (jobId === null || !model.isFirstCall) return;
    const context = callerContext(caller, { requestId: correlationId, commandId });
    await this.application.execute(trainingJobDecider, jobId, { type: 'mark-deployed', jobId }, context, [
      trainingJobDocuments.collection,
    ]);
    this.jobs.delete(jobId);
  }

  private trained(modelId: string, jobId: string, state: StartedJob): Model {
    const { status, request } = state;
    const entry = this.catalog.resolve(request.baseModel.id);
    if (!entry) throw new ConflictError(`the base model ${request.baseModel.id} of job ${jobId} is no longer served`);
    // A provider would answer with its own model, not the one trained here.
    if (entry.provider !== null)
      throw new ConflictError(
        `the base model ${entry.id} of job ${jobId} is hosted by a provider, which does not have the trained weights; train it again on a base model that can be trained`,
      );
    const reference =
      status === 'complete' || status === 'deployed'
        ? { baseModelId: entry.id, adapter: { id: jobId, folder: state.artifact } }
        : new ConflictError(`training job ${jobId} is ${status}; only a complete one can be used for inference`);
    const isFirstCall = status === 'complete';
    return {
      modelId,
      entry,
      ...{ named: null, shadow: null },
      trainingJobId: jobId,
      isFirstCall,
      reference,
      price: this.priceOf(entry),
      trainedOn: request.datasets,
      ...this.factsOf(entry, true),
    };
  }

  /** @param isTrained which of the heads that training gives a model has, its runner knows */
  private factsOf({ id }: CatalogEntry, isTrained: boolean): Pick<Model, 'heads' | 'embedder'> {
    const base = this.engines.baseModel(id)?.model;
    return {
      heads: base ? [...base.heads, ...(isTrained ? (base.trainedHeads ?? []) : [])] : null,
      embedder: this.engines.embedder(id)?.model ?? null,
    };
  }

  /** Read from the log itself, so without the lag of a read model. */
  private async job(jobId: string): Promise<TrainingJobState> {
    const known = this.jobs.get(jobId);
    if (known && performance.now() - known.at < FRESH_MS) return known.state;
    const state = await this.application.load(trainingJobDecider, jobId);
    if (state.status === 'none') return state;
    if (this.jobs.size >= MAX_CACHED_JOBS) this.jobs.clear();
    this.jobs.set(jobId, { state, at: performance.now() });
    return state;
  }
}

const noneInUse = (name: string): ConflictError =>
  new ConflictError(`model ${name} has no version in use; promote one`);

/**
 * 0 to 99, deterministic for one caller and name: a caller among the first 10 percent for a version is also among the
 * first 20; other names select other callers first.
 */
export const percentileOf = (callerId: string, name: string): number =>
  parseInt(hash('sha1', `${callerId}/${name}`, 'hex').slice(0, 8), 16) % 100;
