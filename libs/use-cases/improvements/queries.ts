import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { documentAsOf } from '#application/as-of.js';
import { loadModel } from '#application/models.js';
import { NotFoundError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import { improvements, type ImprovementDocument } from '#projections/improvements/projection.js';
import { improvementDocuments, pageOfImprovements } from '#projections/improvements/queries.js';
import { CallerQuery, ResourceQuery } from '../commands-and-queries.js';

/** @throws NotFoundError unknown, or of another workspace */
export class GetImprovement extends ResourceQuery<string, ImprovementDocument> {}

@QueryHandler(GetImprovement)
export class GetImprovementHandler implements IQueryHandler<GetImprovement> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: id, asOf }: GetImprovement): Promise<ImprovementDocument> {
    const improvement = await improvementDocuments.get(this.application.ports.readStore, id);
    if (improvement?.workspaceId !== caller.workspaceId) throw new NotFoundError('improvement', id);
    if (!asOf) return improvement;
    const stream = streamName('improvement', improvement.request.modelId);
    const then = { what: 'improvement', projection: improvements, stream, id };
    return documentAsOf(this.application, caller, asOf, then);
  }
}

interface ImprovementsAsked extends PageRequest {
  /** Of the model with this name; absent: of every model. */
  readonly name?: string;
  /** At any of these stages; absent: at any. */
  readonly stage?: readonly ImprovementDocument['stage'][];
}

/** Newest first. @throws NotFoundError there is no such model */
export class ListImprovements extends CallerQuery<ImprovementsAsked, Page<ImprovementDocument>> {}

@QueryHandler(ListImprovements)
export class ListImprovementsHandler implements IQueryHandler<ListImprovements> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { workspaceId }, input }: ListImprovements): Promise<Page<ImprovementDocument>> {
    const { name, stage, limit, offset } = input;
    if (name !== undefined) await loadModel(this.application, { workspaceId, name });
    const where = { workspaceId, ...(name !== undefined && { name }), ...(stage && { stage }) };
    return pageOfImprovements(this.application.ports.readStore, where, { limit, offset });
  }
}
