import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { derivedId } from '#application/execute.js';
import { InvalidError, NotFoundError } from '#domain/errors.js';
import { evaluationDecider, type EvaluationRequest, type EvaluationState } from '#domain/evaluation/index.js';
import type { JsonObject } from '#domain/json.js';
import { cancelSubject } from '#gpu-runner/contract/work.js';
import { requestedEvaluation, type EvaluationDocument } from '#projections/evaluations/projection.js';
import { evaluationDocuments } from '#projections/evaluations/queries.js';
import { allChecks } from '../errors/index.js';
import { WorkQueues } from '../limits/work-queues.js';
import { ModelResolver } from '../training-jobs/base-model.js';
import { DatasetClaims } from '../training-jobs/datasets.js';
import { requireProject } from '../projects/require-project.js';
import { versionOf } from '../training-jobs/version-reference.js';
import { CallerCommand } from '../messages.js';
import type { StartEvaluationBody } from './dto.js';
import { isPresent } from '../validation/reader.js';

const VISIBLE_IN = [evaluationDocuments.name];

export class StartEvaluation extends CallerCommand<StartEvaluationBody, EvaluationDocument> {}

@CommandHandler(StartEvaluation)
export class StartEvaluationHandler implements ICommandHandler<StartEvaluation> {
  constructor(
    private readonly application: Application,
    private readonly models: ModelResolver,
    private readonly datasets: DatasetClaims,
    private readonly queues: WorkQueues,
  ) {}

  async execute({ caller, identity, input: body }: StartEvaluation): Promise<EvaluationDocument> {
    const context = callerContext(caller, identity);
    const { workspaceId, userId } = caller;
    const evaluationId = derivedId(context.commandId, 'evaluation');
    const known = await this.application.recall(evaluationDecider, evaluationId, identity);
    if (known) return asRequested(known);
    const modelId = namedModel(body);
    const requests = [{ name: body.dataset_name, version: versionOf(body.version_number) }];
    const [{ baseModel, engine, adapter, job, heads }, projectId] = await allChecks(
      this.models.resolveMeasurable(caller, modelId, isPresent(body.base_model) ? 'base_model' : 'model_id'),
      requireProject(this.application, workspaceId, body.project_id),
      this.datasets.requireReadable(workspaceId, requests, 'evaluation'),
      this.application.storage.requireRoom(workspaceId, { bytes: 1 }),
    );
    const claimant = { kind: 'evaluation', id: evaluationId } as const;
    return this.queues.enter('evaluations', caller, async () => {
      const { pins } = await this.datasets.claim(workspaceId, requests, { id: modelId, heads }, claimant, context);
      const request: EvaluationRequest = {
        evaluationId,
        workspaceId,
        userId,
        model: { id: modelId, baseModel, adapter },
        engine: { name: engine.name, version: engine.version },
        datasets: pins,
        heldOut: null,
        maxExamples: body.max_examples ?? null,
        projectId,
        automatic: false,
        trainingJobId: job?.id ?? null,
      };
      const command = { type: 'request-evaluation', ...request } as const;
      const { state } = await this.application.execute(evaluationDecider, evaluationId, command, context, VISIBLE_IN);
      return asRequested(state);
    });
  }
}

/** The evaluation as its creation answered it, without later changes. */
function asRequested(state: EvaluationState): EvaluationDocument {
  if (state.status === 'none') throw new Error('an evaluation was asked for, and is not there');
  return requestedEvaluation({ ...state.request, requestedAt: state.requestedAt });
}

export class DeleteEvaluation extends CallerCommand<string, JsonObject> {}

/** Stops a running evaluation. The reaper removes its predictions, and the claims manager releases its claim. */
@CommandHandler(DeleteEvaluation)
export class DeleteEvaluationHandler implements ICommandHandler<DeleteEvaluation> {
  constructor(private readonly application: Application) {}

  async execute({ caller, identity, input: evaluationId }: DeleteEvaluation): Promise<JsonObject> {
    const { bus } = this.application.ports;
    const before = await this.application.load(evaluationDecider, evaluationId);
    if (before.status === 'deleted') throw new NotFoundError('evaluation', evaluationId);
    const command = { type: 'delete-evaluation', evaluationId, workspaceId: caller.workspaceId } as const;
    const context = callerContext(caller, identity);
    const { state } = await this.application.execute(evaluationDecider, evaluationId, command, context, VISIBLE_IN);
    // A hint only: a runner that misses it learns it from the answer to its next report.
    if (state.status !== 'none') bus.signal(cancelSubject('evaluation'), { id: evaluationId, attempt: state.attempt });
    return { success: true, message: 'the evaluation and its predictions are deleted' };
  }
}

function namedModel({ base_model, model_id }: StartEvaluationBody): string {
  if (base_model && model_id && base_model !== model_id)
    throw new InvalidError({
      path: ['body', 'model_id'],
      message: 'names another model than base_model; they are two names of one field: send one',
      type: 'not_allowed',
    });
  const id = base_model ?? model_id ?? null;
  if (id === null)
    throw new InvalidError({
      path: ['body', 'base_model'],
      message: 'is required: the id of a training job, a checkpoint or a catalog model',
      type: 'missing',
    });
  return id;
}
