import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { documentAsOf } from '#application/as-of.js';
import { loadModel, modelStreamId } from '#application/models.js';
import { versionOf, type NamedModel } from '#domain/model/index.js';
import { trainingJobDecider, type ConfidenceFigures } from '#domain/training-job/index.js';
import { streamName } from '#domain/streams.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import { models, type ModelDocument } from '#projections/models/projection.js';
import { pageOfModels } from '#projections/models/queries.js';
import { agreementOf } from '#projections/reviews/queries.js';
import { CallerQuery, ResourceQuery } from '../../commands-and-queries.js';

/** By name. */
export class ListNamedModels extends CallerQuery<PageRequest, Page<ModelDocument>> {}

@QueryHandler(ListNamedModels)
export class ListNamedModelsHandler implements IQueryHandler<ListNamedModels> {
  constructor(private readonly application: Application) {}

  execute({ caller: { workspaceId }, input: { limit, offset } }: ListNamedModels): Promise<Page<ModelDocument>> {
    return pageOfModels(this.application.ports.readStore, workspaceId, { limit, offset });
  }
}

interface SeenModel {
  readonly model: NamedModel;
  /** Calls that both the version in use and the shadow have answered; null unless both exist, and in the past. */
  readonly agreement: Awaited<ReturnType<typeof agreementOf>> | null;
  /** Figures by head of the version in use, measured on the rows that its training held out. */
  readonly confidences: Readonly<Record<string, ConfidenceFigures>>;
}

/** @throws NotFoundError */
export class GetNamedModel extends ResourceQuery<string, SeenModel> {}

@QueryHandler(GetNamedModel)
export class GetNamedModelHandler implements IQueryHandler<GetNamedModel> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { workspaceId }, input: name, asOf }: GetNamedModel): Promise<SeenModel> {
    if (asOf) {
      const id = modelStreamId(workspaceId, name);
      const model = await documentAsOf(this.application, { workspaceId }, asOf, {
        ...{ what: 'model', projection: models, stream: streamName('model', id), id, shownId: name },
        leftOut: ({ inUse, shadow }) => (inUse === null || shadow === null ? [] : ['shadow_agreement']),
      });
      return { model, agreement: null, confidences: await this.confidencesOf(model) };
    }
    const model = await loadModel(this.application, { workspaceId, name });
    const { inUse, shadow } = model;
    const confidences = await this.confidencesOf(model);
    if (inUse === null || shadow === null) return { model, agreement: null, confidences };
    const { readStore } = this.application.ports;
    const agreement = await agreementOf(readStore, workspaceId, [model.name, inUse, shadow]);
    return { model, agreement, confidences };
  }

  private async confidencesOf(model: NamedModel): Promise<SeenModel['confidences']> {
    const jobId = versionOf(model, model.inUse)?.trainingJobId;
    if (!jobId) return {};
    const job = await this.application.load(trainingJobDecider, jobId);
    if (job.status !== 'complete' && job.status !== 'deployed') return {};
    return Object.fromEntries(
      Object.entries(job.metrics.heads).flatMap(([head, { confidence }]) => (confidence ? [[head, confidence]] : [])),
    );
  }
}
