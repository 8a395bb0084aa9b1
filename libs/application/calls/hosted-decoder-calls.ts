import { ConflictError, InvalidError, NotFoundError, UnavailableError, UpstreamRejectedError } from '#domain/errors.js';
import { priceOf, type InferenceErrorType } from '#domain/inference/index.js';
import { HostedModelError, NO_USAGE, type HostedModel, type HostedModels } from '#hosted-models/port.js';
import type { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import { worstCase, type BillingGate } from '../billing/index.js';
import type { Caller } from '../caller.js';
import type { CallRecorder } from '../recording/call-recorder.js';
import type { DecoderAnswer, DecoderCall, DecoderCalls, DecoderModel } from './decoder-calls.js';
import { Generation } from './generation.js';
import { OpenedCall } from './opened-call.js';
import { estimateInput, mostInput } from './tokens.js';

/** Output tokens of a call that names no limit: its worst case must be known before it runs. */
export const DEFAULT_MAX_TOKENS = 4_096;

export interface DecoderCallsParts {
  readonly catalog: Pick<VisibleCatalog, 'resolve'>;
  readonly hosted: HostedModels;
  readonly recorder: CallRecorder;
  readonly billing: Pick<BillingGate, 'admit'>;
}

/** Decoders of hosted providers. */
export class HostedDecoderCalls implements DecoderCalls {
  constructor(private readonly parts: DecoderCallsParts) {}

  async find(caller: Caller, modelId: string): Promise<DecoderModel> {
    const entry = await this.parts.catalog.resolve(caller, modelId);
    if (!entry) throw new NotFoundError('model', modelId);
    if (entry.task_type !== 'decoder')
      throw new InvalidError({
        path: ['body', 'model_id'],
        message: `${modelId} is an ${entry.task_type} model; name a decoder`,
        type: 'not_allowed',
      });
    return { modelId, entry };
  }

  /** Runs nothing: a provider's model is loaded at all times. @throws as a call does that costs nothing */
  async warmUp(model: DecoderModel, caller: Caller): Promise<void> {
    const reservation = await this.parts.billing.admit({ caller, entry: model.entry, worstCase: 0n });
    reservation.release();
    this.upstreamOf(model);
  }

  async run(model: DecoderModel, call: DecoderCall): Promise<DecoderAnswer> {
    const request = { ...call.request, maxTokens: call.request.maxTokens ?? DEFAULT_MAX_TOKENS };
    const price = priceOf(model.entry);
    const estimatedInputTokens = estimateInput(request);
    const most = worstCase(price, { input: mostInput(request), output: request.maxTokens });
    const reservation = await this.parts.billing.admit({ caller: call.caller, entry: model.entry, worstCase: most });
    if (!this.parts.recorder.accepting) {
      reservation.release();
      throw new UnavailableError('the event log takes no writes now; try again');
    }
    const opened = new OpenedCall(this.parts.recorder, {
      ...{ model, call, price, reservation, estimatedInputTokens },
      worstCase: most,
    });
    const generation = new Generation(request, opened.start);
    try {
      await this.generate(this.upstreamOf(model), { ...call, request }, generation, opened);
    } catch (error) {
      const { errorType, answer } = failureOf(error);
      // A caller who leaves is billed what was produced; what the provider refused or broke off costs nothing.
      const isLeft = errorType === 'cancelled' && generation.ttftMs !== null;
      await opened.end({
        ...{ errorType, message: answer.message, ttftMs: generation.ttftMs },
        usage: isLeft ? generation.counted : NO_USAGE,
        output: isLeft ? generation.text : null,
      });
      throw answer;
    }
    const { text, finishReason, ttftMs, counted: usage } = generation;
    const latencyMs = await opened.end({ errorType: null, message: null, usage, output: text, ttftMs });
    return { inferenceId: opened.inferenceId, text, finishReason, usage, latencyMs };
  }

  /** @throws ConflictError it is not served here */
  private upstreamOf({ modelId, entry: { provider, supports_inference: serves } }: DecoderModel): HostedModel {
    if (provider && this.parts.hosted.has(provider.name) && serves) return provider;
    throw new ConflictError(`model ${modelId} is in the catalog, and not served here for inference`);
  }

  /** Runs it beside its opening on the log. A call that cannot be opened is cancelled. */
  private async generate(
    model: HostedModel,
    { request, signal }: Pick<DecoderCall, 'request' | 'signal'>,
    generation: Generation,
    opened: OpenedCall,
  ): Promise<void> {
    const unopened = new AbortController();
    const acknowledged = opened.acknowledged.catch((error: unknown) => unopened.abort(error));
    const either = signal ? AbortSignal.any([signal, unopened.signal]) : unopened.signal;
    try {
      for await (const event of this.parts.hosted.generate(model, request, { signal: either })) generation.add(event);
    } catch (error) {
      await acknowledged;
      throw unopened.signal.aborted ? unopened.signal.reason : error;
    }
    await acknowledged;
    if (unopened.signal.aborted) throw unopened.signal.reason;
  }
}

function failureOf(error: unknown): { readonly errorType: InferenceErrorType; readonly answer: Error } {
  if (error instanceof ConflictError) return { errorType: 'model_not_ready', answer: error };
  if (error instanceof UnavailableError) return { errorType: 'internal', answer: error };
  if (!(error instanceof HostedModelError))
    return { errorType: 'internal', answer: new UnavailableError('the model failed', { cause: error }) };
  const { kind, message, details } = error;
  const { retryAfterSeconds, upstreamStatus: status } = details;
  const unavailable = new UnavailableError(message, {
    cause: error,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
  switch (kind) {
    case 'rejected': {
      const rejected = status === 413 || status === 422 ? status : 400;
      return { errorType: 'internal', answer: new UpstreamRejectedError(message, rejected, details) };
    }
    case 'saturated':
      return { errorType: 'capacity_exhausted', answer: unavailable };
    case 'timeout':
      return { errorType: 'timeout', answer: unavailable };
    case 'cancelled':
      return { errorType: 'cancelled', answer: unavailable };
    case 'unavailable':
      return { errorType: 'internal', answer: unavailable };
  }
}
