import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import type { EvaluationDocument } from '#projections/evaluations/projection.js';
import { needsOfEvaluation } from '#gpu-runner/contract/needs.js';
import { evaluationDocuments, pageOfEvaluations } from '#projections/evaluations/queries.js';
import { LiveProgress } from '../training-jobs/live-progress.js';
import { requireProject } from '../projects/require-project.js';
import { CallerQuery } from '../messages.js';
import type { ListEvaluationsQuery, PredictionsQuery } from './dto.js';
import { readPredictions } from './predictions.js';
import { evaluationRecord } from './record.js';

export class ListEvaluations extends CallerQuery<ListEvaluationsQuery, JsonObject> {}

@QueryHandler(ListEvaluations)
export class ListEvaluationsHandler implements IQueryHandler<ListEvaluations> {
  constructor(
    private readonly application: Application,
    private readonly live: LiveProgress,
  ) {}

  /** Newest first, without the predictions. */
  async execute({ caller, input: query }: ListEvaluations): Promise<JsonObject> {
    const { model_id, training_job_id, dataset_name, status, limit, offset } = query;
    const projectId = await requireProject(this.application, caller.workspaceId, query.project_id);
    const { documents: found, total } = await pageOfEvaluations(
      this.application.ports.readStore,
      caller.workspaceId,
      {
        trainingJobId: training_job_id,
        modelId: model_id,
        projectId: projectId ?? undefined,
        datasetName: dataset_name,
        status,
      },
      { limit, offset },
    );
    const has_more = offset + found.length < total;
    const evaluations = found.map((evaluation) => evaluationRecord(evaluation, waitingReason(evaluation, this.live)));
    return { success: true, evaluations, count: found.length, total, has_more };
  }
}

export class GetEvaluation extends Query<JsonObject> {
  constructor(
    readonly caller: Caller,
    readonly id: string,
    readonly query: PredictionsQuery,
    /** Aborts when the client leaves. */
    readonly gone: AbortSignal,
  ) {
    super();
  }
}

@QueryHandler(GetEvaluation)
export class GetEvaluationHandler implements IQueryHandler<GetEvaluation> {
  constructor(
    private readonly application: Application,
    private readonly live: LiveProgress,
  ) {}

  async execute({ caller, id, query, gone }: GetEvaluation): Promise<JsonObject> {
    const { readStore, objectStore } = this.application.ports;
    const evaluation = await evaluationDocuments.get(readStore, id);
    if (evaluation?.workspaceId !== caller.workspaceId) throw new NotFoundError('evaluation', id);
    const { limit, offset, only_wrong: onlyWrong = false } = query;
    const { predictions } = evaluation;
    const page = predictions
      ? await readPredictions(objectStore, predictions.objectKey, { offset, limit, onlyWrong }, gone)
      : [];
    return { ...evaluationRecord(evaluation, waitingReason(evaluation, this.live)), predictions: page, limit, offset };
  }
}

const waitingReason = (evaluation: EvaluationDocument, live: LiveProgress): string | null =>
  evaluation.status === 'queued' && !evaluation.hosted ? live.lacking(needsOfEvaluation(evaluation)) : null;
