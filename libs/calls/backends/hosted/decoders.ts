import { ConflictError, InvalidError, NotFoundError, UnavailableError } from '#domain/errors.js';
import { limitOf } from '#domain/team/index.js';
import { priceOf } from '#domain/inference/index.js';
import type {
  CallingWorkspace,
  GenerationRequest,
  HostedModel,
  HostedModels,
  UpstreamOptions,
} from '#hosted-models/port.js';
import type { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import type { AccountBook } from '#application/accounts/index.js';
import { worstCase, type BillingGate } from '#application/billing/index.js';
import type { Caller } from '#application/caller.js';
import type { CallRecorder } from '../../recording/call-recorder.js';
import { failureOf } from './failure.js';
import type { DecoderAnswer, DecoderCall, DecoderCalls, DecoderModel } from '../../decoder-calls.js';
import { Generation } from '../../generation.js';
import { whole, type GenerationRun } from '../../generation-run.js';
import { HostedRun } from '../../hosted-run.js';
import { OpenedCall, type OpenedCallParts } from '../../opened-call.js';
import { textOf } from '../../produced.js';
import { sizeOf } from '../../tokens.js';

/** Output tokens of each answer of a call that names no limit and is paid from credits: its worst case must be known before it runs. */
export const DEFAULT_MAX_TOKENS = 4_096;

export interface DecoderCallsParts {
  readonly catalog: Pick<VisibleCatalog, 'resolve'>;
  readonly hosted: HostedModels;
  readonly recorder: CallRecorder;
  readonly billing: Pick<BillingGate, 'admit'>;
  readonly accounts: Pick<AccountBook, 'of'>;
}

/** Whose call a provider is asked for, and how many it may have there. */
export async function workspaceOf(
  accounts: Pick<AccountBook, 'of'>,
  { teamId, workspaceId }: Caller,
): Promise<CallingWorkspace> {
  return { id: workspaceId, maxCalls: limitOf(await accounts.of(teamId), 'hosted_calls') };
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

  /**
   * How many tokens a request's input is: as the provider counts, or about, where it counts none. Nothing of it is recorded or paid.
   * @throws as a call does that costs nothing
   */
  async countTokens(
    model: DecoderModel,
    caller: Caller,
    request: GenerationRequest,
    options: UpstreamOptions,
  ): Promise<number> {
    await this.warmUp(model, caller);
    try {
      const workspace = await workspaceOf(this.parts.accounts, caller);
      const counted = await this.parts.hosted.countTokens(this.upstreamOf(model), request, { ...options, workspace });
      return counted ?? sizeOf(request, model.entry.context_window).about;
    } catch (error) {
      throw failureOf(error).answer;
    }
  }

  async run(model: DecoderModel, call: DecoderCall): Promise<DecoderAnswer> {
    const { inferenceId, produced, usage, latencyMs } = await whole(await this.start(model, call));
    const [choice] = produced.choices;
    return { inferenceId, text: textOf(choice!), finishReason: choice!.finish ?? 'stop', usage, latencyMs };
  }

  async start(model: DecoderModel, call: DecoderCall): Promise<GenerationRun> {
    const { entry } = model;
    const price = priceOf(entry);
    const { about, most } = sizeOf(call.request, entry.context_window);
    const limited = { ...call.request, maxTokens: call.request.maxTokens ?? DEFAULT_MAX_TOKENS };
    const atMost = worstCase(price, { input: most, output: limited.maxTokens * answersOf(limited) });
    const reservation = await this.parts.billing.admit({ caller: call.caller, entry, worstCase: atMost });
    const workspace = await workspaceOf(this.parts.accounts, call.caller);
    const opened = this.open(model, call, { price, reservation, worstCase: atMost, estimatedInputTokens: about });
    const run = new HostedRun(opened, new Generation(about, opened.start), call);
    // What was set aside must suffice. Where nothing was, the provider's own limit holds.
    const request = reservation.chargedTo === null ? call.request : limited;
    const stream = call.stream ?? true;
    await run.begin((options) =>
      this.parts.hosted.generate(this.upstreamOf(model), request, { ...options, stream, workspace }),
    );
    return run;
  }

  /** @throws UnavailableError */
  private open(model: DecoderModel, call: DecoderCall, parts: Omit<OpenedCallParts, 'model' | 'call'>): OpenedCall {
    try {
      if (this.parts.recorder.accepting) return new OpenedCall(this.parts.recorder, { ...parts, model, call });
      throw new UnavailableError('the event log takes no writes now; try again');
    } catch (error) {
      parts.reservation.release();
      throw error;
    }
  }

  /** @throws ConflictError it is not served here */
  private upstreamOf({ modelId, entry: { provider, supports_inference: serves } }: DecoderModel): HostedModel {
    if (provider && this.parts.hosted.has(provider.name) && serves) return provider;
    throw new ConflictError(`model ${modelId} is in the catalog, and not served here for inference`);
  }
}

/** How many answers may have to be paid. */
const answersOf = ({ choices = 1, candidates = 1, prompts }: GenerationRequest): number =>
  Math.max(choices, candidates) * Math.max(prompts?.length ?? 1, 1);
