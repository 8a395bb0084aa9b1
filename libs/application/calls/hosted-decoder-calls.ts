import { v7 as uuid7 } from 'uuid';
import { ConflictError, InvalidError, NotFoundError, UnavailableError, UpstreamRejectedError } from '#domain/errors.js';
import { cost, priceOf, type CallMetered, type InferenceErrorType } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import { HostedModelError, NO_USAGE, type HostedModels, type TokenUsage } from '#hosted-models/port.js';
import type { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import { worstCase, type BillingGate, type Reservation } from '../billing/index.js';
import { callerContext, type Caller } from '../caller.js';
import type { CallRecorder, OpenCall } from '../recording/call-recorder.js';
import { SupersededError } from '../recording/stream-appender.js';
import type { DecoderAnswer, DecoderCall, DecoderCalls, DecoderModel } from './decoder-calls.js';
import { Generation } from './generation.js';
import { estimateInput } from './tokens.js';

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

  async run(model: DecoderModel, call: DecoderCall): Promise<DecoderAnswer> {
    const { recorder, billing, hosted } = this.parts;
    const { entry } = model;
    const request = { ...call.request, maxTokens: call.request.maxTokens ?? DEFAULT_MAX_TOKENS };
    const price = priceOf(entry);
    const estimatedInputTokens = estimateInput(request);
    const most = worstCase(price, { input: estimatedInputTokens, output: request.maxTokens });
    const reservation = await billing.admit({ caller: call.caller, entry, worstCase: most });
    try {
      if (entry.provider === null || !hosted.has(entry.provider.name) || !entry.supports_inference)
        throw new ConflictError(`model ${model.modelId} is in the catalog, and not served here for inference`);
      if (!recorder.accepting) throw new UnavailableError('the event log takes no writes now; try again');
    } catch (error) {
      reservation.release();
      throw error;
    }
    const inferenceId = uuid7();
    const { caller, correlationId } = call;
    const context = {
      ...callerContext(caller, { requestId: correlationId, commandId: inferenceId, repeated: false }),
      workspaceId: caller.workspaceId,
    };
    const common = {
      inferenceId,
      teamId: caller.teamId,
      userId: caller.userId,
      keyId: caller.keyId,
      modelId: model.modelId,
      baseModel: entry.id,
      trainingJobId: null,
      projectId: call.projectId,
      task: call.task,
      source: caller.kind === 'key' ? ('api' as const) : ('ui' as const),
      format: call.format,
      price,
      chargedTo: reservation.chargedTo,
      at: context.now,
    };
    const start = performance.now();
    const open = recorder.open(
      { ...common, store: call.store, estimatedInputTokens, reservedPicodollars: most.toString() },
      context,
    );
    const generation = new Generation(request, start);
    const end = (ended: Ended) => {
      const latencyMs = rounded(performance.now() - start);
      const ttftMs = generation.ttftMs === null ? null : rounded(generation.ttftMs);
      const costPicodollars = cost(ended.usage, price);
      const metered = {
        ...{ ...common, ...ended.usage, latencyMs, ttftMs },
        ...{
          status: ended.errorType === null ? ('success' as const) : ('failed' as const),
          errorType: ended.errorType,
        },
        costPicodollars: costPicodollars.toString(),
      } satisfies Omit<CallMetered['data'], 'stored' | 'contentHmac' | 'workspaceId'>;
      const content = call.store ? { input: call.input, output: ended.output, errorMessage: ended.message } : null;
      const interrupted = cost({ ...NO_USAGE, inputTokens: estimatedInputTokens }, price);
      return settled(
        open.close({ metered, content }, ended.errorType === null ? 'answered' : 'failed'),
        reservation,
        costPicodollars,
        interrupted,
      ).then(() => latencyMs);
    };
    try {
      await generate(hosted, entry.provider, { ...call, request }, generation, open);
    } catch (error) {
      const failure = failureOf(error);
      // A caller who leaves is billed what was produced; what the provider refused or broke off costs nothing.
      const usage = failure.errorType === 'cancelled' && generation.ttftMs !== null ? generation.counted : NO_USAGE;
      const output = failure.errorType === 'cancelled' ? generation.text : null;
      await end({ errorType: failure.errorType, message: failure.answer.message, usage, output });
      throw failure.answer;
    }
    const { text, finishReason, counted: usage } = generation;
    const latencyMs = await end({ errorType: null, message: null, usage, output: text });
    return { inferenceId, text, finishReason, usage, latencyMs };
  }
}

interface Ended {
  readonly errorType: InferenceErrorType | null;
  readonly message: string | null;
  readonly usage: TokenUsage;
  readonly output: Json;
}

/** Runs it beside its opening on the log. A call that cannot be opened is cancelled. */
async function generate(
  hosted: HostedModels,
  model: NonNullable<DecoderModel['entry']['provider']>,
  { request, signal }: Pick<DecoderCall, 'request' | 'signal'>,
  generation: Generation,
  open: OpenCall,
): Promise<void> {
  const unopened = new AbortController();
  const notOpened = open.acknowledged.catch((error: unknown) => unopened.abort(error));
  const either = signal ? AbortSignal.any([signal, unopened.signal]) : unopened.signal;
  try {
    for await (const event of hosted.generate(model, request, { signal: either })) generation.add(event);
  } finally {
    await notOpened;
    if (unopened.signal.aborted) throw unopened.signal.reason;
  }
}

/** Whatever became of its record, the reservation ends. */
async function settled(closed: Promise<void>, reservation: Reservation, spent: bigint, interrupted: bigint) {
  try {
    await closed;
    reservation.settle(spent);
  } catch (error) {
    // A worker closes it, or has.
    reservation.settle(interrupted);
    if (error instanceof SupersededError)
      throw new UnavailableError('this server was taken for dead while it ran the call; try again', { cause: error });
    throw error;
  }
}

function failureOf(error: unknown): { readonly errorType: InferenceErrorType; readonly answer: Error } {
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

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1_000) / 1_000;
