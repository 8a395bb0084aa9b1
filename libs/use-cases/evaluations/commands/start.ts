import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { InvalidError } from '#domain/errors.js';
import {
  evaluationDecider,
  type EvaluationRequest,
  type EvaluationState,
  type HostedCalls,
  type JudgePin,
} from '#domain/evaluation/index.js';
import { heldOutBy, type TrainingRequest } from '#domain/training-job/index.js';
import { JUDGE_PROMPT_VERSION } from '#evaluations/judge.js';
import { requestedEvaluation, type EvaluationDocument } from '#projections/evaluations/projection.js';
import { evaluationDocuments } from '#projections/evaluations/queries.js';
import { allChecks } from '../../all-checks.js';
import { KeyGate } from '../../limits/key-gate.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { ModelResolver } from '../../models/model-resolver.js';
import { DatasetClaims, type DatasetRequest } from '../../datasets/dataset-claims.js';
import { requireProject } from '../../projects/require-project.js';
import { requireJobOnLog } from '../../training-jobs/require-job.js';
import { versionOf } from '../../datasets/version-of.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { isPresent } from '#primitives/values.js';
import type { EvaluationOrder } from '../order.js';
import { crossValidationOf } from './cross-validation.js';

const VISIBLE_IN = [evaluationDocuments.collection];

export class StartEvaluation extends CallerCommand<EvaluationOrder, EvaluationDocument> {}

@CommandHandler(StartEvaluation)
export class StartEvaluationHandler implements ICommandHandler<StartEvaluation> {
  constructor(
    private readonly application: Application,
    private readonly models: ModelResolver,
    private readonly datasets: DatasetClaims,
    private readonly queues: WorkQueues,
    private readonly keys: KeyGate,
  ) {}

  async execute({ caller, identity, input: body }: StartEvaluation): Promise<EvaluationDocument> {
    const context = callerContext(caller, identity);
    const { workspaceId, userId } = caller;
    const evaluationId = derivedId(context.commandId, 'evaluation');
    const known = await this.application.recall(evaluationDecider, evaluationId, identity);
    if (known) return asRequested(known);
    const named = body.cross_validation_of ?? namedModel(body);
    const modelId = isPresent(body.cross_validation_of) ? named : await this.models.targetOf(caller, named);
    const { requests, heldOut, ...recipe } = await this.rowsOf(caller, body);
    const [{ baseModel, engine, adapter, job, heads, generates, takesTools, isHosted }, projectId] = await allChecks(
      this.models.resolveMeasurable(caller, modelId, isPresent(body.base_model) ? 'base_model' : 'model_id'),
      requireProject(this.application, workspaceId, body.project_id),
      this.datasets.requireReadable(workspaceId, requests, 'evaluation'),
      this.application.storage.requireRoom(workspaceId, { bytes: 1 }),
    );
    // A hosted model will be called by the id that is pinned.
    await this.keys.requireModel(caller, modelId, ...(isHosted ? [] : [named]));
    const judge = await this.judgeOf(caller, body, generates ? null : modelId);
    requireCosts(body, modelId, isHosted || judge !== null);
    if (isPresent(body.max_answer_tokens) && !generates)
      throw refusedField('max_answer_tokens', `is for decoders, whose answers are texts: ${modelId} is an encoder`);
    if (heldOut && isHosted) throw refusedField('held_out_of', `is for models of runners; a provider hosts ${modelId}`);
    const claimant = { kind: 'evaluation', id: evaluationId } as const;
    return this.queues.enter('evaluations', caller, async () => {
      const model = { id: modelId, heads, generates, takesTools };
      const { pins, rows } = await this.datasets.claim(workspaceId, requests, model, claimant, context);
      if ((isHosted || judge) && Math.min(rows, body.max_examples ?? rows) > MAX_HOSTED_ROWS) {
        await this.datasets.release(workspaceId, requests, claimant, context);
        throw tooManyRows(judge?.modelId ?? modelId, rows);
      }
      const request: EvaluationRequest = {
        evaluationId,
        workspaceId,
        userId,
        model: { id: modelId, baseModel, adapter: recipe.crossValidation ? null : adapter },
        engine: { name: engine.name, version: engine.version },
        datasets: pins,
        heldOut,
        maxExamples: body.max_examples ?? null,
        ...(isPresent(body.max_answer_tokens) && { maxAnswerTokens: body.max_answer_tokens }),
        projectId,
        automatic: false,
        trainingJobId: job?.jobId ?? null,
        ...(isHosted && { hosted: callsOf(caller, body) }),
        ...(judge && { judge: { ...judge, ...callsOf(caller, body) } }),
        ...recipe,
      };
      const command = { type: 'request-evaluation', ...request } as const;
      const { state } = await this.application.execute(evaluationDecider, evaluationId, command, context, VISIBLE_IN);
      return asRequested(state);
    });
  }

  private async rowsOf({ workspaceId }: Caller, order: EvaluationOrder): Promise<MeasuredRows> {
    const { dataset_name: name, version_number: version, held_out_of: jobId, cross_validation_of: recipeId } = order;
    if (isPresent(recipeId)) {
      const { request: recipe } = await requireJobOnLog(this.application, workspaceId, recipeId);
      const crossValidation = crossValidationOf(order, recipe, refusedField);
      return { requests: versionsOf(recipe), heldOut: null, crossValidation };
    }
    if (isPresent(order.folds)) throw refusedField('folds', 'goes with cross_validation_of alone');
    if (!isPresent(jobId)) {
      if (!isPresent(name))
        throw refusedField('dataset_name', 'is required and must be the name of a dataset', 'missing');
      return { requests: [{ name, version: versionOf(version) }], heldOut: null };
    }
    if (isPresent(name) || isPresent(version))
      throw refusedField(
        'held_out_of',
        'must not be sent with dataset_name or version_number; the job names its datasets',
      );
    const { request: job } = await requireJobOnLog(this.application, workspaceId, jobId);
    return { requests: versionsOf(job), heldOut: heldOutBy(job.configuration) };
  }

  /** @param encoder the id of the model if its answers are no texts */
  private async judgeOf(
    caller: Caller,
    { judge_model_id: id, judge_rubric: rubric }: EvaluationOrder,
    encoder: string | null,
  ): Promise<JudgePin | null> {
    if (!isPresent(id) && !isPresent(rubric)) return null;
    if (!isPresent(id)) throw refusedField('judge_model_id', 'is required with judge_rubric', 'missing');
    if (!isPresent(rubric)) throw refusedField('judge_rubric', 'is required with judge_model_id', 'missing');
    if (encoder !== null)
      throw refusedField('judge_model_id', `is for decoders, whose answers are texts: ${encoder} is an encoder`);
    await this.keys.requireModel(caller, id);
    const { engine, isHosted } = await this.models.resolveMeasurable(caller, id, 'judge_model_id');
    if (!isHosted) throw refusedField('judge_model_id', `names ${id}, which no provider hosts; name a hosted decoder`);
    return {
      ...{ modelId: id, provider: engine.name, model: engine.version, rubric },
      promptVersion: JUDGE_PROMPT_VERSION,
    };
  }
}

interface MeasuredRows extends Pick<EvaluationRequest, 'heldOut' | 'crossValidation'> {
  readonly requests: readonly DatasetRequest[];
}

const versionsOf = ({ datasets }: TrainingRequest): readonly DatasetRequest[] =>
  datasets.map((pin) => ({ name: pin.name, version: pin.versionNumber }));

const refusedField = (field: string, message: string, type = 'not_allowed'): InvalidError =>
  new InvalidError({ path: ['body', field], message, type });

/** The evaluation as its creation answered it, without later changes. */
function asRequested(state: EvaluationState): EvaluationDocument {
  if (state.status === 'none') throw new Error('an evaluation was asked for, and is not there');
  return requestedEvaluation({ ...state.request, requestedAt: state.requestedAt });
}

/** Rows that a hosted model may answer in one evaluation. */
const MAX_HOSTED_ROWS = 10_000;

const tooManyRows = (modelId: string, rows: number): InvalidError =>
  new InvalidError({
    path: ['body', 'max_examples'],
    message: `must be at most ${MAX_HOSTED_ROWS} for ${modelId}, which a provider hosts: the version has ${rows} rows`,
    type: 'out_of_range',
  });

function requireCosts({ max_cost }: EvaluationOrder, modelId: string, costs: boolean): void {
  if (costs || !isPresent(max_cost)) return;
  throw new InvalidError({
    path: ['body', 'max_cost'],
    message: `is for models that a provider hosts; the evaluation of ${modelId} costs nothing, so leave it out`,
    type: 'not_allowed',
  });
}

const callsOf = ({ kind, teamId, keyId }: Caller, { max_cost }: EvaluationOrder): HostedCalls => ({
  requestedBy: { kind, teamId, keyId },
  maxCostPicodollars: max_cost == null ? null : BigInt(Math.round(max_cost * 1e12)).toString(),
});

function namedModel({ base_model, model_id }: EvaluationOrder): string {
  if (base_model && model_id && base_model !== model_id)
    throw new InvalidError({
      path: ['body', 'model_id'],
      message: 'differs from base_model, which is another name of the same field; send one of them',
      type: 'not_allowed',
    });
  const id = base_model ?? model_id ?? null;
  if (id === null)
    throw new InvalidError({
      path: ['body', 'base_model'],
      message: 'is required and must be the id of a training job, a checkpoint or a catalog model',
      type: 'missing',
    });
  return id;
}
