import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { documentAsOf, type AsOfRequest } from '#application/as-of.js';
import { may, type Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import { needsOfEvaluation } from '#gpu-runner/contract/needs.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import { evaluations, type EvaluationDocument } from '#projections/evaluations/projection.js';
import { evaluationDocuments, pageOfEvaluations } from '#projections/evaluations/queries.js';
import { CallerQuery, ResourceQuery } from '../../commands-and-queries.js';
import { requireProject } from '../../projects/require-project.js';
import { LiveProgress } from '../../training-jobs/live-progress.js';
import { readPredictions, type Prediction, type PredictionPage } from '../predictions.js';

export interface SeenEvaluation {
  readonly evaluation: EvaluationDocument;
  /** Why no runner can begin it; null if one can, or has. */
  readonly waitingReason: string | null;
  /** Share of the rows that are answered, 0 to 1, of one that runs; null if unknown. */
  readonly fraction: number | null;
}

interface EvaluationsAsked extends PageRequest {
  readonly model_id?: string;
  readonly training_job_id?: string;
  readonly dataset_name?: string;
  readonly status?: EvaluationDocument['status'];
  readonly project_id?: string;
}

/** Newest first. */
export class ListEvaluations extends CallerQuery<EvaluationsAsked, Page<SeenEvaluation>> {}

@QueryHandler(ListEvaluations)
export class ListEvaluationsHandler implements IQueryHandler<ListEvaluations> {
  constructor(
    private readonly application: Application,
    private readonly live: LiveProgress,
  ) {}

  async execute({ caller: { workspaceId }, input }: ListEvaluations): Promise<Page<SeenEvaluation>> {
    const { model_id: modelId, training_job_id: trainingJobId, dataset_name: datasetName, status, ...others } = input;
    const projectId = (await requireProject(this.application, workspaceId, others.project_id)) ?? undefined;
    const filter = { trainingJobId, modelId, projectId, datasetName, status };
    const { limit, offset } = others;
    const page = await pageOfEvaluations(this.application.ports.readStore, workspaceId, filter, { limit, offset });
    return { ...page, documents: page.documents.map((each) => seen(each, this.live)) };
  }
}

interface EvaluationAsked {
  readonly id: string;
  readonly page: PredictionPage;
  /** Aborts when the client leaves. */
  readonly gone: AbortSignal;
}

/** An evaluation, with a page of its predictions. */
interface EvaluationWithPredictions extends SeenEvaluation {
  readonly predictions: readonly Prediction[];
  /** The caller may see its figures alone. */
  readonly isWithheld: boolean;
}

export class GetEvaluation extends ResourceQuery<EvaluationAsked, EvaluationWithPredictions> {}

@QueryHandler(GetEvaluation)
export class GetEvaluationHandler implements IQueryHandler<GetEvaluation> {
  constructor(
    private readonly application: Application,
    private readonly live: LiveProgress,
  ) {}

  async execute({ caller, input: { id, page, gone }, asOf }: GetEvaluation): Promise<EvaluationWithPredictions> {
    const { readStore, objectStore } = this.application.ports;
    const present = await evaluationDocuments.get(readStore, id);
    const evaluation = asOf ? await this.asOf(caller, id, asOf, !present?.predictions) : present;
    if (evaluation?.workspaceId !== caller.workspaceId) throw new NotFoundError('evaluation', id);
    const isWithheld = !may(caller, 'content');
    const stored = present && !isWithheld && evaluation.predictions;
    const predictions = stored ? await readPredictions(objectStore, stored.objectKey, page, gone) : [];
    return {
      ...(asOf ? { evaluation, waitingReason: null, fraction: null } : seen(evaluation, this.live)),
      ...{ predictions, isWithheld },
    };
  }

  /** @param isGone since: the predictions were erased, or removed with the evaluation */
  private asOf(caller: Caller, id: string, asOf: AsOfRequest, isGone: boolean): Promise<EvaluationDocument> {
    return documentAsOf(this.application, caller, asOf, {
      ...{ what: 'evaluation', projection: evaluations, stream: streamName('evaluation', id), id },
      leftOut: ({ status, predictions }) => [
        ...(status === 'queued' ? ['waiting_reason'] : []),
        ...(status === 'running' ? ['progress_percent'] : []),
        ...(isGone && predictions ? ['predictions'] : []),
      ],
    });
  }
}

const seen = (evaluation: EvaluationDocument, live: LiveProgress): SeenEvaluation => ({
  evaluation,
  waitingReason:
    evaluation.status === 'queued' && !evaluation.hosted ? live.lacking(needsOfEvaluation(evaluation)) : null,
  fraction: evaluation.status === 'running' ? live.fractionOf('evaluation', evaluation.id) : null,
});
