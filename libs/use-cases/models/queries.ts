import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { loadModel, modelStreamId } from '#application/models.js';
import type { Page } from '#log/projector/documents.js';
import { pageOfModels } from '#projections/models/queries.js';
import { streamName } from '#domain/streams.js';
import { models, type ModelDocument } from '#projections/models/projection.js';
import { agreementOf } from '#projections/reviews/queries.js';
import { documentAsOf } from '#application/as-of.js';
import { CallerQuery, ResourceQuery } from '../messages.js';
import type { NamedModelRecord, NamedModelsQuery } from '#apps/api/routes/models/dto.js';
import { modelRecord } from '#apps/api/routes/models/record.js';

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
export class GetNamedModel extends ResourceQuery<string, NamedModelRecord> {}

@QueryHandler(GetNamedModel)
export class GetNamedModelHandler implements IQueryHandler<GetNamedModel> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { workspaceId }, input: name, asOf }: GetNamedModel): Promise<NamedModelRecord> {
    if (asOf) {
      const id = modelStreamId(workspaceId, name);
      const then = await documentAsOf(this.application, { workspaceId }, asOf, {
        ...{ what: 'model', projection: models, stream: streamName('model', id), id, shownId: name },
        leftOut: (model) => (model.inUse === null || model.shadow === null ? [] : ['shadow_agreement']),
      });
      return modelRecord(then);
    }
    const model = await loadModel(this.application, { workspaceId, name });
    const { inUse, shadow } = model;
    if (inUse === null || shadow === null) return modelRecord(model);
    const { readStore } = this.application.ports;
    const { compared, alike } = await agreementOf(readStore, workspaceId, [model.name, inUse, shadow]);
    const share = compared === 0 ? null : alike / compared;
    return { ...modelRecord(model), shadow_agreement: { compared, equal: alike, share } };
  }
}
