import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import type { EvaluationDocument } from '#projections/evaluations/projection.js';
import { requireProject } from '../projects/require-project.js';
import type { ListEvaluationsQuery, PredictionsQuery } from './dto.js';
import { readPredictions } from './predictions.js';
import { evaluationRecord } from './record.js';

export class ListEvaluations extends Query<JsonObject> {
  constructor(
    readonly caller: Caller,
    readonly query: ListEvaluationsQuery,
  ) {
    super();
  }
}

@QueryHandler(ListEvaluations)
export class ListEvaluationsHandler implements IQueryHandler<ListEvaluations> {
  constructor(private readonly application: Application) {}

  /** Newest first, without the predictions. */
  async execute({ caller, query }: ListEvaluations): Promise<JsonObject> {
    const { readStore } = this.application.ports;
    const { model_id, training_job_id, dataset_name, status, limit, offset } = query;
    const projectId = await requireProject(this.application, caller.workspaceId, query.project_id);
    // An index serves each of the first three alone; the others are looked at one by one.
    const indexed = given({ trainingJobId: training_job_id, modelId: model_id, projectId });
    const others = [...indexed.slice(1), ...given({ datasetName: dataset_name, status })];
    const where = { workspaceId: caller.workspaceId, ...Object.fromEntries(indexed.slice(0, 1)) };
    const conditions = { where, ...(others.length > 0 && { filter: { where: Object.fromEntries(others) } }) };
    const order = { field: 'createdAt', direction: 'descending' } as const;
    const [found, total] = await Promise.all([
      readStore.find<EvaluationDocument>('evaluations', { ...conditions, order, limit, offset }),
      readStore.count('evaluations', conditions),
    ]);
    const has_more = offset + found.length < total;
    return { success: true, evaluations: found.map(evaluationRecord), count: found.length, total, has_more };
  }
}

const given = (conditions: Readonly<Record<string, string | null | undefined>>): readonly [string, string][] =>
  Object.entries(conditions).flatMap(([field, value]) => (typeof value === 'string' ? [[field, value]] : []));

export class GetEvaluation extends Query<JsonObject> {
  constructor(
    readonly caller: Caller,
    readonly id: string,
    readonly query: PredictionsQuery,
  ) {
    super();
  }
}

@QueryHandler(GetEvaluation)
export class GetEvaluationHandler implements IQueryHandler<GetEvaluation> {
  constructor(private readonly application: Application) {}

  async execute({ caller, id, query }: GetEvaluation): Promise<JsonObject> {
    const { readStore, objectStore } = this.application.ports;
    const evaluation = await readStore.get<EvaluationDocument>('evaluations', id);
    if (evaluation?.workspaceId !== caller.workspaceId) throw new NotFoundError('evaluation', id);
    const { limit, offset } = query;
    const { predictions } = evaluation;
    const page = predictions ? await readPredictions(objectStore, predictions.objectKey, offset, limit) : [];
    return { ...evaluationRecord(evaluation), predictions: page, limit, offset };
  }
}
