import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { documentAsOf } from '#application/as-of.js';
import { loadModel } from '#application/models.js';
import { NotFoundError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import type { CascadeDocument } from '#projections/cascades/projection.js';
import { cascadeDocuments } from '#projections/cascades/queries.js';
import { distillations, type DistillationDocument } from '#projections/distillations/projection.js';
import { distillationDocuments, pageOfDistillations } from '#projections/distillations/queries.js';
import { CallerQuery, ResourceQuery } from '../../commands-and-queries.js';

/** A distillation, and what its calls have shown; null: it has had none. */
export interface SeenDistillation {
  readonly distillation: DistillationDocument;
  readonly calls: CascadeDocument | null;
}

/** @throws NotFoundError unknown, or of another workspace */
export class GetDistillation extends ResourceQuery<string, SeenDistillation> {}

@QueryHandler(GetDistillation)
export class GetDistillationHandler implements IQueryHandler<GetDistillation> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: id, asOf }: GetDistillation): Promise<SeenDistillation> {
    const { readStore } = this.application.ports;
    const distillation = await distillationDocuments.get(readStore, id);
    if (distillation?.workspaceId !== caller.workspaceId) throw new NotFoundError('distillation', id);
    if (!asOf) return { distillation, calls: await cascadeDocuments.get(readStore, id) };
    const stream = streamName('distillation', distillation.request.modelId);
    const then = { what: 'distillation', projection: distillations, stream, id };
    return { distillation: await documentAsOf(this.application, caller, asOf, then), calls: null };
  }
}

interface DistillationsAsked extends PageRequest {
  /** Of the model with this name; absent: of every model. */
  readonly name?: string;
}

/** Newest first. @throws NotFoundError there is no such model */
export class ListDistillations extends CallerQuery<DistillationsAsked, Page<SeenDistillation>> {}

@QueryHandler(ListDistillations)
export class ListDistillationsHandler implements IQueryHandler<ListDistillations> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { workspaceId }, input }: ListDistillations): Promise<Page<SeenDistillation>> {
    const { name, limit, offset } = input;
    const { readStore } = this.application.ports;
    if (name !== undefined) await loadModel(this.application, { workspaceId, name });
    const where = { workspaceId, ...(name !== undefined && { name }) };
    const { documents, total } = await pageOfDistillations(readStore, where, { limit, offset });
    const seen = documents.map(async (distillation) => ({
      distillation,
      calls: await cascadeDocuments.get(readStore, distillation.id),
    }));
    return { documents: await Promise.all(seen), total };
  }
}
