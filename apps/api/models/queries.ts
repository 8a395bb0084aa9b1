import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { loadModel } from '#application/models.js';
import type { Page } from '#log/projector/documents.js';
import { pageOfModels } from '#projections/models/queries.js';
import type { ModelDocument } from '#projections/models/projection.js';
import { agreementOf } from '#projections/reviews/queries.js';
import { CallerQuery } from '../messages.js';
import type { NamedModelRecord, NamedModelsQuery } from './dto.js';
import { modelRecord } from './record.js';

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
export class GetNamedModel extends CallerQuery<string, NamedModelRecord> {}

@QueryHandler(GetNamedModel)
export class GetNamedModelHandler implements IQueryHandler<GetNamedModel> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { workspaceId }, input: name }: GetNamedModel): Promise<NamedModelRecord> {
    const model = await loadModel(this.application, { workspaceId, name });
    const { inUse, shadow } = model;
    if (inUse === null || shadow === null) return modelRecord(model);
    const { readStore } = this.application.ports;
    const { compared, alike } = await agreementOf(readStore, workspaceId, [model.name, inUse, shadow]);
    const share = compared === 0 ? null : alike / compared;
    return { ...modelRecord(model), shadow_agreement: { compared, equal: alike, share } };
  }
}
