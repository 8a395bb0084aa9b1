import { v7 as uuid7 } from 'uuid';
import { UnavailableError } from '#domain/errors.js';
import { cost, type CallMetered, type InferenceErrorType, type InferenceTask } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import { NO_USAGE, type TokenUsage } from '#hosted-models/port.js';
import type { Reservation } from '#application/billing/index.js';
import { callerContext } from '#application/caller.js';
import type { CallRecorder, OpenCall } from './recording/call-recorder.js';
import { SupersededError } from './recording/stream-appender.js';
import type { DecoderCall, DecoderModel } from './decoder-calls.js';

/** Of a call of a model that others serve, whatever it does. */
export type HostedCall = Pick<DecoderCall, 'caller' | 'correlationId' | 'input' | 'store' | 'projectId' | 'format'> & {
  readonly task: InferenceTask;
};

export interface OpenedCallParts {
  readonly model: DecoderModel;
  readonly call: HostedCall;
  readonly price: CallMetered['data']['price'];
  readonly reservation: Reservation;
  /** The most that it can cost, in picodollars. */
  readonly worstCase: bigint;
  readonly estimatedInputTokens: number;
}

export interface Ended {
  /** null: it was answered. */
  readonly errorType: InferenceErrorType | null;
  readonly message: string | null;
  readonly usage: TokenUsage;
  /** What the history shows of it. */
  readonly output: Json;
  readonly ttftMs: number | null;
  /** Who answered, of the model's provider and its fallbacks; null where none has. */
  readonly provider: { readonly name: string; readonly model: string } | null;
}

/** A call of a hosted model that is on its way: opened on the log, and to be ended there, with what it cost. */
export class OpenedCall {
  readonly inferenceId = uuid7();
  readonly start = performance.now();
  private readonly common: ReturnType<typeof commonFields>;
  private readonly open: OpenCall;

  constructor(
    recorder: CallRecorder,
    private readonly parts: OpenedCallParts,
  ) {
    const { call, estimatedInputTokens, worstCase } = parts;
    const { caller, correlationId, store } = call;
    const identity = { requestId: correlationId, commandId: this.inferenceId, repeated: false };
    const context = { ...callerContext(caller, identity), workspaceId: caller.workspaceId };
    this.common = commonFields(this.inferenceId, context.now, parts);
    const reservedPicodollars = worstCase.toString();
    this.open = recorder.open({ ...this.common, store, estimatedInputTokens, reservedPicodollars }, context);
  }

  /** Resolves when its opening is on the log. @throws UnavailableError */
  get acknowledged(): Promise<void> {
    return this.open.acknowledged;
  }

  /**
   * Resolves when its end is on the log; whatever becomes of that, the reservation ends.
   * @returns its latency in ms
   * @throws UnavailableError
   */
  async end({ errorType, message, usage, output, ttftMs, provider }: Ended): Promise<number> {
    const { call, price, reservation, estimatedInputTokens } = this.parts;
    const latencyMs = rounded(performance.now() - this.start);
    const spent = cost(usage, price);
    const metered = {
      ...this.common,
      ...usage,
      status: errorType === null ? ('success' as const) : ('failed' as const),
      errorType,
      latencyMs,
      ttftMs: ttftMs === null ? null : rounded(ttftMs),
      costPicodollars: spent.toString(),
    };
    const content = call.store ? { input: call.input, output, errorMessage: message } : null;
    try {
      await this.open.close({ metered, content }, errorType === null ? 'answered' : 'failed', provider);
      reservation.settle(spent);
      return latencyMs;
    } catch (error) {
      // It may be on the log all the same; or a worker closes it as interrupted, or has.
      const interrupted = cost({ ...NO_USAGE, inputTokens: estimatedInputTokens }, price);
      reservation.settle(spent > interrupted ? spent : interrupted);
      if (!(error instanceof SupersededError)) throw error;
      throw new UnavailableError('this server was taken for dead while it ran the call; try again', { cause: error });
    }
  }
}

/** What `call-opened` and `call-metered` both say. */
function commonFields(inferenceId: string, at: string, { model, call, price, reservation }: OpenedCallParts) {
  const { caller, projectId, task, format } = call;
  return {
    inferenceId,
    teamId: caller.teamId,
    userId: caller.userId,
    keyId: caller.keyId,
    modelId: model.modelId,
    baseModel: model.entry.id,
    trainingJobId: null,
    projectId,
    task,
    source: caller.kind === 'key' ? ('api' as const) : ('ui' as const),
    format,
    price,
    chargedTo: reservation.chargedTo,
    at,
  };
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1_000) / 1_000;
