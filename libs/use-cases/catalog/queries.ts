import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { modelStreamId } from '#application/models.js';
import { NotFoundError } from '#domain/errors.js';
import { modelReferenceOf, referredVersion, type NamedModel } from '#domain/model/index.js';
import type { Caller } from '#application/caller.js';
import type { CatalogEntry, CatalogView } from '#models/catalog/catalog.js';
import { VisibleCatalog } from '#models/catalog/visible-catalog.js';
import { MAX_NAMES, modelDocuments, pageOfModels } from '#projections/models/queries.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { SERVABLE, servableJobs, trainingJobDocuments } from '#projections/training-jobs/queries.js';
import type { Model } from '#apps/api/routes/catalog/dto.js';

/** The catalog as the caller may see it. */
export class GetCatalog extends Query<CatalogView> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(GetCatalog)
export class GetCatalogHandler implements IQueryHandler<GetCatalog> {
  constructor(private readonly catalog: VisibleCatalog) {}

  execute({ caller }: GetCatalog): Promise<CatalogView> {
    return this.catalog.for(caller);
  }
}

/** The models that a workspace can call: the catalog in its order, its names, then its own trained models, newest first. */
export class ListModels extends Query<readonly Model[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(ListModels)
export class ListModelsHandler implements IQueryHandler<ListModels> {
  constructor(
    private readonly application: Application,
    private readonly catalog: VisibleCatalog,
  ) {}

  async execute({ caller }: ListModels): Promise<readonly Model[]> {
    const { readStore } = this.application.ports;
    const [jobs, names, view] = await Promise.all([
      servableJobs(readStore, caller.workspaceId),
      pageOfModels(readStore, caller.workspaceId, { limit: MAX_NAMES, offset: 0 }),
      this.catalog.for(caller),
    ]);
    const inUse = names.documents.filter((named) => named.inUse !== null);
    return [
      ...view.entries.map(ofCatalog),
      ...inUse.map((named) => ofName(named.name, named, view)),
      ...jobs.map((job) => ofJob(job, view)),
    ];
  }
}

/** @throws NotFoundError */
export class GetModel extends Query<Model> {
  constructor(
    readonly caller: Caller,
    readonly id: string,
  ) {
    super();
  }
}

@QueryHandler(GetModel)
export class GetModelHandler implements IQueryHandler<GetModel> {
  constructor(
    private readonly application: Application,
    private readonly catalog: VisibleCatalog,
  ) {}

  async execute({ caller, id }: GetModel): Promise<Model> {
    const entry = await this.catalog.resolve(caller, id);
    if (entry) return ofCatalog(entry);
    const named = await this.named(caller, id);
    if (named) return ofName(id, named, await this.catalog.for(caller));
    const job = await trainingJobDocuments.get(this.application.ports.readStore, id);
    if (job?.workspaceId !== caller.workspaceId || !SERVABLE.includes(job.status)) throw new NotFoundError('model', id);
    return ofJob(job, await this.catalog.for(caller));
  }

  /** The model of a name whose version there is. */
  private async named({ workspaceId }: Caller, id: string): Promise<NamedModel | null> {
    const reference = modelReferenceOf(id);
    if (!reference) return null;
    const named = await modelDocuments.get(
      this.application.ports.readStore,
      modelStreamId(workspaceId, reference.name),
    );
    return named && referredVersion(named, reference.ref) ? named : null;
  }
}

const ofCatalog = ({ id, label, release_month, deprecated, context_window }: CatalogEntry): Model => ({
  ...model(id, label, id.includes('/') ? id.slice(0, id.indexOf('/')) : 'anneal', new Date(release_month ?? 0)),
  lifecycle: deprecated ? 'deprecated' : 'active',
  max_input_tokens: context_window,
});

/** A name with the age of the version it refers to. */
function ofName(id: string, named: NamedModel, catalog: CatalogView): Model {
  const reference = modelReferenceOf(id);
  const version = referredVersion(named, reference?.ref ?? null);
  return {
    ...model(id, named.name, 'workspace', new Date(version?.addedAt ?? named.createdAt)),
    max_input_tokens: catalog.resolve(version?.baseModel ?? '')?.context_window ?? null,
  };
}

/** A trained model reads as much as its base does. */
const ofJob = (
  { id, modelName, baseModel, completedAt, createdAt }: TrainingJobDocument,
  catalog: CatalogView,
): Model => ({
  ...model(id, modelName, 'workspace', new Date(completedAt ?? createdAt)),
  max_input_tokens: catalog.resolve(baseModel.id)?.context_window ?? null,
});

const model = (id: string, displayName: string, owner: string, created: Date): Model => ({
  id,
  object: 'model',
  type: 'model',
  created: Math.floor(created.getTime() / 1000),
  created_at: created.toISOString(),
  owned_by: owner,
  display_name: displayName,
  lifecycle: 'active',
  // Fields of the Anthropic SDK's type with no value here.
  ...{
    max_input_tokens: null,
    max_tokens: null,
    capabilities: null,
    line: null,
    deprecated_at: null,
    retires_at: null,
  },
});
