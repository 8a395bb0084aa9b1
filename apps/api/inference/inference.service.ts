import { Injectable } from '@nestjs/common';
import { v7 as uuid7 } from 'uuid';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { CallRecorder } from '#application/recording/call-recorder.js';
import { BusUnavailableError, CallTimedOutError, NoServerError, RemoteError, ServerLostError } from '#bus/port.js';
import { ConflictError, InvalidError, NotReadyYetError, UnavailableError } from '#domain/errors.js';
import { cost, type CallMetered, type InferenceErrorType, type InferenceTask } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { InferSchema } from '#gpu-runner/engine/engine.js';
import { INFERENCE_ERRORS, type InferenceAnswer, type InferenceCall } from '#gpu-runner/inference/protocol.js';
import { requireProject } from '../projects/require-project.js';
import { encodeResult } from './native/encode.js';
import type { NativeRequest } from './native/request.js';
import { RoutedCalls } from './routed-calls.js';
import { ServedModels, type NamedModel } from './served-models.js';

const DEADLINE_MS = 60_000;

/** The answer of `POST /inference` for an encoder. */
export interface EncoderAnswer extends JsonObject {
  readonly type: 'encoder';
  /** null where nothing was stored. */
  readonly inference_id: string | null;
  /** A list when `text` was one. */
  readonly result: Json;
  readonly model_id: string;
  /** What really ran: an alias's target, or the training job. */
  readonly model_used: string;
  readonly latency_ms: number;
  readonly token_usage: number;
}

/** Runs native inference calls and records each before it is answered. */
@Injectable()
export class InferenceService {
  constructor(
    private readonly application: Application,
    private readonly models: ServedModels,
    private readonly recorder: CallRecorder,
    private readonly runners: RoutedCalls,
  ) {}

  /** @throws DomainError */
  async run(
    caller: Caller,
    identity: RequestIdentity,
    request: NativeRequest,
    sent: JsonObject,
  ): Promise<EncoderAnswer> {
    const start = performance.now();
    const model = await this.models.find(caller, request.modelId);
    requireHeads(request, model);
    await requireProject(this.application, caller.workspaceId, request.projectId);
    if (!this.recorder.accepting) throw new UnavailableError('the event log takes no writes now; try again');
    const inferenceId = uuid7();
    const record = (outcome: Outcome) => {
      const latencyMs = Math.round((performance.now() - start) * 1000) / 1000;
      const context = callerContext(caller, { ...identity, commandId: inferenceId });
      const metered = meteredCall(caller, request, model, { ...outcome, inferenceId, latencyMs, at: context.now });
      const content = request.store
        ? { input: inputOf(sent), output: outcome.result, errorMessage: outcome.errorMessage }
        : null;
      return this.recorder
        .record({ metered, content }, { ...context, workspaceId: caller.workspaceId })
        .then(() => latencyMs);
    };
    let answer: InferenceAnswer;
    try {
      answer = await this.call(model, request);
    } catch (error) {
      const { answer: thrown, ...failure } = failureOf(error, request, model);
      if (failure.errorType !== null && !request.isWarmup)
        await record({ task: taskOf(request.schema), status: 'failed', inputTokens: 0, result: null, ...failure });
      throw thrown;
    }
    if (request.isWarmup) return warmedUp(model);
    const encoded = answer.results.map((result, index) =>
      encodeResult(request.texts[index]!, result, answer.schema, request.schema, request),
    );
    const result: Json = request.batch ? encoded : encoded[0]!;
    const inputTokens = answer.inputTokens.reduce((sum, tokens) => sum + tokens, 0);
    const latencyMs = await record({
      task: taskOf(answer.schema),
      status: 'success',
      errorType: null,
      errorMessage: null,
      inputTokens,
      result,
    });
    await this.models.markDeployed(model, caller, identity);
    return {
      type: 'encoder',
      inference_id: request.store ? inferenceId : null,
      result,
      model_id: request.modelId,
      model_used: usedModel(model),
      latency_ms: latencyMs,
      token_usage: inputTokens,
      ...(answer.warnings.length > 0 && { warnings: answer.warnings as unknown as Json }),
      ...(answer.results.some(({ truncated }) => truncated) && { truncated: true }),
    };
  }

  private async call(model: NamedModel, request: NativeRequest): Promise<InferenceAnswer> {
    if (model.reference instanceof ConflictError) throw model.reference;
    const { entities, classifications } = request.schema ?? {};
    const schema: InferSchema = { ...(entities && { entities }), ...(classifications && { classifications }) };
    const call: InferenceCall = {
      model: model.reference,
      texts: request.isWarmup ? [] : request.texts,
      schema: request.schema ? schema : request.isWarmup ? {} : null,
      threshold: request.threshold,
    };
    return this.runners.run(call, DEADLINE_MS, model.isFirstCall);
  }
}

interface Outcome {
  readonly task: InferenceTask;
  readonly status: 'success' | 'failed';
  readonly errorType: InferenceErrorType | null;
  readonly errorMessage: string | null;
  readonly inputTokens: number;
  readonly result: Json;
}

function meteredCall(
  caller: Caller,
  request: NativeRequest,
  model: NamedModel,
  call: Outcome & { readonly inferenceId: string; readonly latencyMs: number; readonly at: string },
): Omit<CallMetered['data'], 'stored' | 'contentHmac' | 'workspaceId'> {
  const usage = { inputTokens: call.inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return {
    inferenceId: call.inferenceId,
    teamId: caller.teamId,
    userId: caller.userId,
    keyId: caller.keyId,
    modelId: request.modelId,
    baseModel: model.baseModel.id,
    trainingJobId: model.trainingJobId,
    projectId: request.projectId,
    task: call.task,
    source: caller.kind === 'key' ? 'api' : 'ui',
    format: 'native',
    status: call.status,
    errorType: call.errorType,
    latencyMs: call.latencyMs,
    ttftMs: null,
    ...usage,
    price: model.price,
    costPicodollars: cost(usage, model.price).toString(),
    at: call.at,
  };
}

/** What the history shows as input: the request's own words for what was asked. */
function inputOf(sent: JsonObject): JsonObject {
  const { text, schema, threshold } = sent;
  return { text: text ?? null, ...(schema !== undefined && { schema }), ...(threshold !== undefined && { threshold }) };
}

function requireHeads({ schema, isWarmup }: NativeRequest, model: NamedModel): void {
  const lacking = (head: string) =>
    new InvalidError({
      path: ['body', 'schema', head],
      message: `model ${model.modelId} has no ${head} head; it does entities and classifications`,
      type: 'not_allowed',
    });
  if (schema?.structures) throw lacking('structures');
  if (schema?.relations) throw lacking('relations');
  if (schema === null && model.trainingJobId === null && !isWarmup) throw schemaRequired(model);
}

const schemaRequired = (model: NamedModel): InvalidError =>
  new InvalidError({
    path: ['body', 'schema'],
    message: `is required: ${model.modelId} has no labels of its own. Send a list of entity labels, or {entities, classifications}`,
    type: 'missing',
  });

interface Failure {
  /** null for a request that the model rightly refused: it was not valid, and is not recorded. */
  readonly errorType: InferenceErrorType | null;
  readonly errorMessage: string | null;
  /** What the caller is answered. */
  readonly answer: unknown;
}

function failureOf(error: unknown, request: NativeRequest, model: NamedModel): Failure {
  const unavailable = (errorType: InferenceErrorType, errorMessage: string): Failure => ({
    ...{ errorType, errorMessage },
    answer: new UnavailableError(errorMessage, { cause: error }),
  });
  const notReady = (answer: ConflictError | NotReadyYetError): Failure => ({
    ...{ errorType: 'model_not_ready', errorMessage: answer.message, answer },
  });
  if (error instanceof ConflictError || error instanceof NotReadyYetError) return notReady(error);
  if (error instanceof CallTimedOutError) return unavailable('timeout', 'the model did not answer in time');
  if (error instanceof NoServerError) return unavailable('capacity_exhausted', 'no runner serves models now');
  if (error instanceof ServerLostError)
    return unavailable('capacity_exhausted', 'the runner that had the call was lost; try again');
  if (error instanceof BusUnavailableError)
    return unavailable('capacity_exhausted', 'the runners cannot be reached now; try again');
  if (!(error instanceof RemoteError)) return unavailable('internal', 'the model failed');
  switch (error.code) {
    case INFERENCE_ERRORS.notServable:
      return notReady(new ConflictError(`model ${request.modelId} has no active deployment: ${error.message}`));
    case INFERENCE_ERRORS.unavailable:
      return unavailable('capacity_exhausted', `${error.message}; try again`);
    case INFERENCE_ERRORS.schemaRequired:
      return { errorType: null, errorMessage: null, answer: schemaRequired(model) };
    case INFERENCE_ERRORS.unsupportedHead: {
      const problem = { path: ['body', 'schema'], message: error.message, type: 'not_allowed' };
      return { errorType: null, errorMessage: null, answer: new InvalidError(problem) };
    }
    default:
      return { errorType: 'internal', errorMessage: 'the model failed', answer: error };
  }
}

function taskOf(schema: { readonly entities?: unknown; readonly classifications?: unknown } | null): InferenceTask {
  if (schema?.entities && schema.classifications) return 'schema';
  return schema?.classifications ? 'classify_text' : 'extract_entities';
}

const usedModel = (model: NamedModel): string => model.trainingJobId ?? model.baseModel.id;

const warmedUp = (model: NamedModel): EncoderAnswer => ({
  type: 'encoder',
  inference_id: null,
  result: {},
  model_id: model.modelId,
  model_used: usedModel(model),
  latency_ms: 0,
  token_usage: 0,
});
