import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { streamName } from '#domain/streams.js';
import { evaluations, type EvaluationDocument } from '#projections/evaluations/projection.js';
import { needsOfEvaluation } from '#gpu-runner/contract/needs.js';
import { evaluationDocuments, pageOfEvaluations } from '#projections/evaluations/queries.js';
import { LiveProgress } from '../training-jobs/reading/live-progress.js';
import { requireProject } from '../projects/require-project.js';
import type { AsOfRequest } from '#application/as-of.js';
import { documentAsOf } from '#application/as-of.js';
import { CallerQuery, ResourceQuery } from '../messages.js';
import type { ListEvaluationsQuery, PredictionsQuery } from '#apps/api/routes/evaluations/dto.js';
import { readPredictions } from './predictions.js';
import { evaluationRecord } from '#apps/api/routes/evaluations/record.js';

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
    const records = found.map((evaluation) => evaluationRecord(evaluation, waitingReason(evaluation, this.live)));
    return { success: true, evaluations: records, count: found.length, total, has_more };
  }
}

interface EvaluationRequested {
  readonly id: string;
  readonly query: PredictionsQuery;
  /** Aborts when the client leaves. */
  readonly gone: AbortSignal;
}

export class GetEvaluation extends ResourceQuery<EvaluationRequested, JsonObject> {}

@QueryHandler(GetEvaluation)
export class GetEvaluationHandler implements IQueryHandler<GetEvaluation> {
  constructor(
    private readonly application: Application,
    private readonly live: LiveProgress,
  ) {}

  async execute({ caller, input: { id, query, gone }, asOf }: GetEvaluation): Promise<JsonObject> {
    const { readStore, objectStore } = this.application.ports;
    const present = await evaluationDocuments.get(readStore, id);
    const evaluation = asOf ? await this.asOf(caller, id, asOf, present === null) : present;
    if (evaluation?.workspaceId !== caller.workspaceId) throw new NotFoundError('evaluation', id);
    const { limit, offset, only_wrong: onlyWrong = false } = query;
    const { predictions } = evaluation;
    const page =
      predictions && present
        ? await readPredictions(objectStore, predictions.objectKey, { offset, limit, onlyWrong }, gone)
        : [];
    const waiting = asOf ? null : waitingReason(evaluation, this.live);
    return { ...evaluationRecord(evaluation, waiting), predictions: page, limit, offset };
  }

  /** @param isDeleted since: its predictions were removed with it */
  private asOf(caller: Caller, id: string, asOf: AsOfRequest, isDeleted: boolean): Promise<EvaluationDocument> {
    return documentAsOf(this.application, caller, asOf, {
      ...{ what: 'evaluation', projection: evaluations, stream: streamName('evaluation', id), id },
      leftOut: ({ status, predictions }) => [
        ...(status === 'queued' ? ['waiting_reason'] : []),
        ...(isDeleted && predictions ? ['predictions'] : []),
      ],
    });
  }
}

const waitingReason = (evaluation: EvaluationDocument, live: LiveProgress): string | null =>
  evaluation.status === 'queued' && !evaluation.hosted ? live.lacking(needsOfEvaluation(evaluation)) : null;
