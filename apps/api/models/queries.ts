import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { loadModel } from '#application/models.js';
import type { NamedModel } from '#domain/model/index.js';
import type { Page } from '#log/projector/documents.js';
import { pageOfModels } from '#projections/models/queries.js';
import type { ModelDocument } from '#projections/models/projection.js';
import { CallerQuery } from '../messages.js';
import type { NamedModelsQuery } from './dto.js';

/** By name. */
export class ListNamedModels extends CallerQuery<NamedModelsQuery, Page<ModelDocument>> {}

@QueryHandler(ListNamedModels)
export class ListNamedModelsHandler implements IQueryHandler<ListNamedModels> {
  constructor(private readonly application: Application) {}

  execute({ caller: { workspaceId }, input: { limit, offset } }: ListNamedModels): Promise<Page<ModelDocument>> {
    return pageOfModels(this.application.ports.readStore, workspaceId, { limit, offset });
  }
}

/** @throws NotFoundError */
export class GetNamedModel extends CallerQuery<string, NamedModel> {}

@QueryHandler(GetNamedModel)
export class GetNamedModelHandler implements IQueryHandler<GetNamedModel> {
  constructor(private readonly application: Application) {}

  execute({ caller: { workspaceId }, input: name }: GetNamedModel): Promise<NamedModel> {
    return loadModel(this.application, { workspaceId, name });
  }
}
