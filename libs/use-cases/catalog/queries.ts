import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { modelStreamId } from '#application/models.js';
import { allowsModel } from '#domain/api-key/index.js';
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

/** The catalog as the caller may see it: of a key that may not call all models, those that it may. */
export class GetCatalog extends CallerQuery<null, Pick<CatalogView, 'entries' | 'seesPricesOf'>> {}

@QueryHandler(GetCatalog)
export class GetCatalogHandler implements IQueryHandler<GetCatalog> {
  constructor(private readonly catalog: VisibleCatalog) {}

  async execute({ caller }: GetCatalog): Promise<Pick<CatalogView, 'entries' | 'seesPricesOf'>> {
    const view = await this.catalog.for(caller);
    return { entries: allowedEntries(caller, view), seesPricesOf: (entry) => view.seesPricesOf(entry) };
  }
}

/** The models that the caller can call: the catalog in its order, its names, then its own trained models, newest first. */
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
    const inUse = names.documents.filter(
      (named) => named.inUse !== null && allowsName(caller, named.name, named, view),
    );
    return [
      ...allowedEntries(caller, view).map(ofCatalog),
      ...inUse.map((named) => ofName(named.name, named, view)),
      ...jobs.filter(({ id }) => allows(caller, [id])).map((job) => ofJob(job, view)),
    ];
  }
}

/** @throws NotFoundError; also for one that the caller's key may not call */
export class GetModel extends CallerQuery<string, CallableModel> {}

@QueryHandler(GetModel)
export class GetModelHandler implements IQueryHandler<GetModel> {
  constructor(
    private readonly application: Application,
    private readonly catalog: VisibleCatalog,
  ) {}

  async execute({ caller, input: id }: GetModel): Promise<CallableModel> {
    const view = await this.catalog.for(caller);
    const entry = view.resolve(id);
    if (entry && allows(caller, [id, ...view.namesOf(entry)])) return ofCatalog(entry);
    const named = entry ? null : await this.named(caller, id);
    if (named && allowsName(caller, id, named, view)) return ofName(id, named, view);
    if (entry || named || !allows(caller, [id])) throw new NotFoundError('model', id);
    const job = await trainingJobDocuments.get(this.application.ports.readStore, id);
    if (job?.workspaceId !== caller.workspaceId || !SERVABLE.includes(job.status)) throw new NotFoundError('model', id);
    return ofJob(job, view);
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

const allows = ({ limits }: Caller, ids: readonly string[]): boolean => !limits || allowsModel(limits, ids);

const allowedEntries = (caller: Caller, view: CatalogView): readonly CatalogEntry[] =>
  caller.limits ? view.entries.filter((entry) => allows(caller, view.namesOf(entry))) : view.entries;

/** A name is allowed also as the model that it refers to. */
function allowsName(caller: Caller, id: string, named: NamedModel, view: CatalogView): boolean {
  const target = referredVersion(named, modelReferenceOf(id)?.ref ?? null)?.target;
  const entry = target === undefined ? null : view.resolve(target);
  return allows(caller, [
    id,
    named.name,
    ...(target === undefined ? [] : [target]),
    ...(entry ? view.namesOf(entry) : []),
  ]);
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
