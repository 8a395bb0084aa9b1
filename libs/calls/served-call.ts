import { v7 as uuid7 } from 'uuid';
import type { Reservation } from '#application/billing/index.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import type { CallRecorder } from '#calls/recording/call-recorder.js';
import { cost, type CallMetered, type InferenceErrorType, type InferenceTask } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { Failure } from './backends/runner/failure.js';
import type { NamedModel } from './models.js';

/** Whose call of which model it is. */
export interface CallFacts {
  readonly caller: Caller;
  readonly identity: RequestIdentity;
  readonly model: NamedModel;
  readonly request: { readonly modelId: string; readonly projectId: string | null; readonly store: boolean };
  /** When the request came, by `performance.now`. */
  readonly start: number;
  /** Of the route. */
  readonly format: CallMetered['data']['format'];
  /** What the history shows as input: the request's own words for what was asked. */
  readonly input: () => JsonObject;
}

/** A call of a model that runs here, after it was admitted: recorded once, and settled, before it is answered. */
export class ServedCall {
  readonly inferenceId = uuid7();

  constructor(
    private readonly recorder: CallRecorder,
    private readonly reservation: Reservation,
    private readonly facts: CallFacts,
  ) {}

  /** @returns the latency, in ms @throws UnavailableError */
  answered(outcome: {
    readonly task: InferenceTask;
    readonly inputTokens: number;
    readonly result: Json;
  }): Promise<number> {
    return this.record({ ...outcome, status: 'success', errorType: null, errorMessage: null });
  }

  /** @returns what the caller is to be told */
  async failed(task: InferenceTask, { answer, errorType, errorMessage }: Failure): Promise<unknown> {
    if (errorType === null) this.reservation.release();
    else await this.record({ task, inputTokens: 0, result: null, status: 'failed', errorType, errorMessage });
    return answer;
  }

  private async record(outcome: Outcome): Promise<number> {
    const { caller, identity, request, start, input } = this.facts;
    const latencyMs = Math.round((performance.now() - start) * 1000) / 1000;
    const context = callerContext(caller, { ...identity, commandId: this.inferenceId });
    const metered = this.metered(outcome, latencyMs, context.now);
    const content = request.store
      ? { input: input(), output: outcome.result, errorMessage: outcome.errorMessage }
      : null;
    try {
      await this.recorder.record({ metered, content }, { ...context, workspaceId: caller.workspaceId });
    } finally {
      // Where the log did not answer it may be there all the same.
      this.reservation.settle(BigInt(metered.costPicodollars));
    }
    return latencyMs;
  }

  private metered(outcome: Outcome, latencyMs: number, at: string): Omit<CallMetered['data'], Stored> {
    const { caller, model, request, format } = this.facts;
    const { chargedTo } = this.reservation;
    const { task, status, errorType, inputTokens } = outcome;
    const usage = { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return {
      inferenceId: this.inferenceId,
      teamId: caller.teamId,
      userId: caller.userId,
      keyId: caller.keyId,
      modelId: request.modelId,
      baseModel: model.baseModel.id,
      trainingJobId: model.trainingJobId,
      projectId: request.projectId,
      task,
      source: caller.kind === 'key' ? 'api' : 'ui',
      format,
      status,
      errorType,
      latencyMs,
      ttftMs: null,
      ...usage,
      price: model.price,
      costPicodollars: cost(usage, model.price).toString(),
      ...(chargedTo !== null && { chargedTo }),
      at,
    };
  }
}

/** What the recorder knows. */
type Stored = 'stored' | 'contentHmac' | 'workspaceId';

interface Outcome {
  readonly task: InferenceTask;
  readonly status: 'success' | 'failed';
  readonly errorType: InferenceErrorType | null;
  readonly errorMessage: string | null;
  readonly inputTokens: number;
  readonly result: Json;
}
