import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { loadModel } from '#application/models.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { streamName } from '#domain/streams.js';
import { improvements } from '#projections/improvements/projection.js';
import { improvementDocuments, pageOfImprovements } from '#projections/improvements/queries.js';
import { documentAsOf } from '#application/as-of.js';
import { CallerQuery, ResourceQuery } from '../messages.js';
import { OPEN_STAGES, type AllImprovementsQuery, type ImprovementsQuery } from '#apps/api/routes/improvements/dto.js';
import { improvementRecord } from '#apps/api/routes/improvements/record.js';

export class GetImprovement extends ResourceQuery<string, JsonObject> {}

@QueryHandler(GetImprovement)
export class GetImprovementHandler implements IQueryHandler<GetImprovement> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError unknown, or of another workspace */
  async execute({ caller, input: id, asOf }: GetImprovement): Promise<JsonObject> {
    const improvement = await improvementDocuments.get(this.application.ports.readStore, id);
    if (improvement?.workspaceId !== caller.workspaceId) throw new NotFoundError('improvement', id);
    if (!asOf) return improvementRecord(improvement);
    const stream = streamName('improvement', improvement.request.modelId);
    const then = { what: 'improvement', projection: improvements, stream, id };
    return improvementRecord(await documentAsOf(this.application, caller, asOf, then));
  }
}

export class ListImprovements extends CallerQuery<{ readonly name: string } & ImprovementsQuery, JsonObject> {}

@QueryHandler(ListImprovements)
export class ListImprovementsHandler implements IQueryHandler<ListImprovements> {
  constructor(private readonly application: Application) {}

  /** Newest first. @throws NotFoundError there is no such model */
  async execute({ caller: { workspaceId }, input: { name, ...page } }: ListImprovements): Promise<JsonObject> {
    await loadModel(this.application, { workspaceId, name });
    const { readStore } = this.application.ports;
    const { documents, total } = await pageOfImprovements(readStore, { workspaceId, name }, page);
    return { improvements: documents.map(improvementRecord), count: documents.length, total };
  }
}

export class ListAllImprovements extends CallerQuery<AllImprovementsQuery, JsonObject> {}

@QueryHandler(ListAllImprovements)
export class ListAllImprovementsHandler implements IQueryHandler<ListAllImprovements> {
  constructor(private readonly application: Application) {}

  /** Improvements of every model, newest first. */
  async execute({ caller: { workspaceId }, input: { status, ...page } }: ListAllImprovements): Promise<JsonObject> {
    const stage = status && (status === 'open' ? OPEN_STAGES : [status]);
    const where = { workspaceId, ...(stage && { stage }) };
    const { documents, total } = await pageOfImprovements(this.application.ports.readStore, where, page);
    return { improvements: documents.map(improvementRecord), count: documents.length, total };
  }
}
