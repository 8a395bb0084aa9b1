import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
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
import { CallerQuery } from '../commands-and-queries.js';

/** A model that a workspace can call. */
export interface CallableModel {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly createdAt: Date;
  readonly isDeprecated: boolean;
  /** Tokens; of a trained model those of its base, null if that is unknown. */
  readonly contextWindow: number | null;
}

/** The catalog as the caller may see it. */
export class GetCatalog extends CallerQuery<null, CatalogView> {}

@QueryHandler(GetCatalog)
export class GetCatalogHandler implements IQueryHandler<GetCatalog> {
  constructor(private readonly catalog: VisibleCatalog) {}

  execute({ caller }: GetCatalog): Promise<CatalogView> {
    return this.catalog.for(caller);
  }
}

/** The models that a workspace can call: the catalog in its order, its names, then its own trained models, newest first. */
export class ListModels extends CallerQuery<null, readonly CallableModel[]> {}

@QueryHandler(ListModels)
export class ListModelsHandler implements IQueryHandler<ListModels> {
  constructor(
    private readonly application: Application,
    private readonly catalog: VisibleCatalog,
  ) {}

  async execute({ caller }: ListModels): Promise<readonly CallableModel[]> {
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
export class GetModel extends CallerQuery<string, CallableModel> {}

@QueryHandler(GetModel)
export class GetModelHandler implements IQueryHandler<GetModel> {
  constructor(
    private readonly application: Application,
    private readonly catalog: VisibleCatalog,
  ) {}

  async execute({ caller, input: id }: GetModel): Promise<CallableModel> {
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

const ofCatalog = ({ id, label, release_month, deprecated, context_window }: CatalogEntry): CallableModel => ({
  id,
  name: label,
  owner: id.includes('/') ? id.slice(0, id.indexOf('/')) : 'anneal',
  createdAt: new Date(release_month ?? 0),
  isDeprecated: deprecated,
  contextWindow: context_window,
});

/** A name with the age of the version it refers to. */
function ofName(id: string, named: NamedModel, catalog: CatalogView): CallableModel {
  const reference = modelReferenceOf(id);
  const version = referredVersion(named, reference?.ref ?? null);
  const createdAt = new Date(version?.addedAt ?? named.createdAt);
  return ofWorkspace({ id, name: named.name, createdAt, baseModel: version?.baseModel ?? '' }, catalog);
}

const ofJob = (
  { id, modelName: name, baseModel, completedAt, createdAt }: TrainingJobDocument,
  catalog: CatalogView,
): CallableModel =>
  ofWorkspace({ id, name, createdAt: new Date(completedAt ?? createdAt), baseModel: baseModel.id }, catalog);

/** A trained model reads as much as its base does. */
const ofWorkspace = (
  { baseModel, ...model }: Pick<CallableModel, 'id' | 'name' | 'createdAt'> & { readonly baseModel: string },
  catalog: CatalogView,
): CallableModel => ({
  ...model,
  owner: 'workspace',
  isDeprecated: false,
  contextWindow: catalog.resolve(baseModel)?.context_window ?? null,
});
