import { ConflictError, InvalidError, NotFoundError, UnavailableError } from '#domain/errors.js';
import { priceOf } from '#domain/inference/index.js';
import type { HostedModel, HostedModels } from '#hosted-models/port.js';
import type { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import { worstCase, type BillingGate } from '../billing/index.js';
import type { Caller } from '../caller.js';
import type { CallRecorder } from '../recording/call-recorder.js';
import type { DecoderAnswer, DecoderCall, DecoderCalls, DecoderModel } from './decoder-calls.js';
import { Generation } from './generation.js';
import { whole, type GenerationRun } from './generation-run.js';
import { HostedRun } from './hosted-run.js';
import { OpenedCall } from './opened-call.js';
import { textOf } from './produced.js';
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
    const { inferenceId, produced, usage, latencyMs } = await whole(await this.start(model, call));
    const [choice] = produced.choices;
    return { inferenceId, text: textOf(choice!), finishReason: choice!.finish ?? 'stop', usage, latencyMs };
  }

  async start(model: DecoderModel, call: DecoderCall): Promise<GenerationRun> {
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
    const run = new HostedRun(opened, new Generation(request, opened.start), call);
    await run.begin((signal) => {
      const stream = call.stream ?? true;
      return this.parts.hosted.generate(this.upstreamOf(model), request, { signal, stream });
    });
    return run;
  }

  /** @throws ConflictError it is not served here */
  private upstreamOf({ modelId, entry: { provider, supports_inference: serves } }: DecoderModel): HostedModel {
    if (provider && this.parts.hosted.has(provider.name) && serves) return provider;
    throw new ConflictError(`model ${modelId} is in the catalog, and not served here for inference`);
  }
}
