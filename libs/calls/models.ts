import type { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import type { Subscription } from '#ports/bus/port.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { priceOf, type CallMetered } from '#domain/inference/index.js';
import { trainingJobDecider, type DatasetPin, type TrainingJobState } from '#domain/training-job/index.js';
import type { BaseModelFacts, EmbedderFacts, Engines } from '#gpu-runner/contract/engines.js';
import { INFERENCE_FORGET, type ForgetModel, type ModelReference } from '#gpu-runner/contract/inference.js';
import type { Catalog, CatalogEntry } from '#model-catalog/catalog.js';
import type { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';
import type { CallRequest } from './request.js';

/** A model id of a request, resolved. */
export interface Model {
  /** The id as the caller wrote it. */
  readonly modelId: string;
  /** The model that runs: for a trained model, its base model. */
  readonly entry: CatalogEntry;
  readonly trainingJobId: string | null;
  /** The trained model has not served a call before. */
  readonly isFirstCall: boolean;
  /** The location of the model's files, or the error that names the state in which it cannot serve. */
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
  const untrained = { trainingJobId: null, isFirstCall: false, trainedOn: [] };
  return { modelId, entry, ...untrained, reference, price, heads: null, embedder: null };
}

/** A job's state may be this old: a job that has just been completed, deployed or deleted is seen within it. */
const FRESH_MS = 1_000;
const MAX_CACHED_JOBS = 10_000;

/** Finds the model that a call names: a catalog model (or an alias of one), or a training job of the caller's workspace. */
export class Models {
  /** Picodollars per token by catalog id; built once rather than per call. */
  private readonly prices: ReadonlyMap<string, Model['price']>;
  private readonly jobs = new Map<string, { readonly state: TrainingJobState; readonly at: number }>();
  private readonly deletions: Subscription;

  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
    private readonly visible: VisibleCatalog,
    private readonly engines: Engines,
  ) {
    this.prices = new Map(catalog.entries.map((entry) => [entry.id, priceOf(entry)]));
    const forget = ({ id }: ForgetModel) => void this.jobs.delete(id);
    this.deletions = application.ports.bus.listen(INFERENCE_FORGET, (body) => forget(body as ForgetModel));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deletions.stop();
  }

  /**
   * @throws NotFoundError an unknown model, or another workspace's job
   * @throws ConflictError a job whose base model the catalog holds no more, or one that a provider hosts
   */
  async resolve(caller: Caller, modelId: string): Promise<Model> {
    const found = this.visible.resolve(caller, modelId);
    const entry = found instanceof Promise ? await found : found;
    if (entry) return { ...catalogModel(modelId, entry, this.prices.get(entry.id)), ...this.factsOf(entry, false) };
    const state = await this.job(modelId);
    if (state.status === 'none' || state.status === 'deleted' || state.request.workspaceId !== caller.workspaceId)
      throw new NotFoundError('model', modelId);
    return this.trained(modelId, state);
  }

  /** Records that the job's adapter has served its first call. @param commandId id of that call */
  async markDeployed(model: Model, { caller, correlationId }: CallRequest, commandId: string): Promise<void> {
    const jobId = model.trainingJobId;
    if (jobId === null || !model.isFirstCall) return;
    const context = callerContext(caller, { requestId: correlationId, commandId });
    await this.application.execute(trainingJobDecider, jobId, { type: 'mark-deployed', jobId }, context, [
      trainingJobDocuments.name,
    ]);
    this.jobs.delete(jobId);
  }

  private trained(modelId: string, state: Exclude<TrainingJobState, { status: 'none' | 'deleted' }>): Model {
    const { status, request } = state;
    const entry = this.catalog.resolve(request.baseModel.id);
    if (!entry) throw new ConflictError(`the base model ${request.baseModel.id} of job ${modelId} is served no more`);
    // A provider would answer with its own model, not the one trained here.
    if (entry.provider !== null)
      throw new ConflictError(
        `the base model ${entry.id} of job ${modelId} is hosted by a provider, which does not have what was trained here; train it again on one of GET /base-models?supports_training=true`,
      );
    const reference =
      status === 'complete' || status === 'deployed'
        ? { baseModelId: entry.id, adapter: { id: modelId, folder: state.artifact } }
        : new ConflictError(`training job ${modelId} is ${status}; only a complete one can be used for inference`);
    const isFirstCall = status === 'complete';
    return {
      modelId,
      entry,
      trainingJobId: modelId,
      isFirstCall,
      reference,
      price: this.prices.get(entry.id)!,
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

  /** Read from the log itself, which no read model lags behind. */
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
