import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { Json } from '#domain/json.js';
import type { FinishReason, GenerationRequest, TokenUsage, UpstreamOptions } from '#hosted-models/port.js';
import type { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import { whole, type AnswerStream } from '../../answer-stream.js';
import { requireGenerator, requireUpstream } from '../../fit.js';
import { catalogModel, type Model } from '../../models.js';
import { textOf, type Produced } from '../../produced.js';
import { Production } from '../../production.js';
import type { CallRequest } from '../../request.js';
import { StreamedAnswer } from '../../streamed-answer.js';
import { sizeOf } from '../../tokens.js';
import { HOSTED, workspaceOf, type HostedParts } from './backend.js';

/** Output tokens of each answer of a call that names no limit and is paid from credits: its worst case must be known before it runs. */
export const DEFAULT_MAX_TOKENS = 4_096;

export interface DecoderRequest extends CallRequest {
  readonly generation: GenerationRequest;
  /** The output shown in the history; default: the text. */
  readonly output?: (produced: Produced) => Json;
  /** Whether the provider streams; false requests the whole answer at once. Default true. */
  readonly stream?: boolean;
}

export interface DecoderAnswer {
  readonly inferenceId: string;
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  readonly latencyMs: number;
}

/** Decoders of hosted providers, for the routes that generate and for the generator of synthetic data. */
export class HostedDecoders {
  constructor(private readonly parts: HostedParts & { readonly catalog: Pick<VisibleCatalog, 'resolve'> }) {}

  /**
   * The decoder of a catalog id or alias that follows instructions, as the caller's workspace sees the catalog.
   * @throws NotFoundError unknown, or hidden from this workspace
   * @throws InvalidError the model is another one
   */
  async find(caller: Caller, modelId: string): Promise<Model> {
    const entry = await this.parts.catalog.resolve(caller, modelId);
    if (!entry) throw new NotFoundError('model', modelId);
    const model = catalogModel(modelId, entry);
    requireGenerator(model);
    return model;
  }

  /** Only admits the call: a provider's model is always loaded. @throws as a free call does */
  async warmUp(model: Model, caller: Caller): Promise<void> {
    await this.parts.lifecycle.admit(caller, model);
    requireUpstream(model, this.parts.hosted);
  }

  /**
   * Input tokens of a request, as the provider counts them, or estimated if it does not. Neither recorded nor charged.
   * @throws as a free call does
   */
  async countTokens(
    model: Model,
    caller: Caller,
    request: GenerationRequest,
    options: UpstreamOptions,
  ): Promise<number> {
    const { hosted, accounts } = this.parts;
    await this.warmUp(model, caller);
    try {
      const workspace = await workspaceOf(accounts, caller);
      const counted = await hosted.countTokens(requireUpstream(model, hosted), request, { ...options, workspace });
      return counted ?? sizeOf(request, model.entry.context_window).about;
    } catch (error) {
      throw HOSTED.failureOf(error, model, undefined).answer;
    }
  }

  /**
   * @throws BillingError, RegionRestrictedError before anything runs
   * @throws UpstreamRejectedError the provider refused the request itself: its status and message
   * @throws UnavailableError anything else that kept it from an answer; with `retryAfterSeconds` where the provider gave one
   */
  async run(model: Model, call: DecoderRequest): Promise<DecoderAnswer> {
    const { inferenceId, produced, usage, latencyMs } = await whole(await this.start(model, call));
    const [choice] = produced.choices;
    return { inferenceId, text: textOf(choice!), finishReason: choice!.finish ?? 'stop', usage, latencyMs };
  }

  /**
   * Resolves when the first events are there and its opening is on the log.
   * @throws as `run` does, before anything of an answer is there
   */
  async start(model: Model, call: DecoderRequest): Promise<AnswerStream> {
    const { lifecycle, hosted, accounts } = this.parts;
    const { generation, stream = true } = call;
    const workspace = await workspaceOf(accounts, call.caller);
    const { about, most } = sizeOf(generation, model.entry.context_window);
    const limited = { ...generation, maxTokens: generation.maxTokens ?? DEFAULT_MAX_TOKENS };
    const live = await lifecycle.begin(call, {
      ...{ backend: HOSTED, model, task: 'generate' },
      most: { input: most, output: limited.maxTokens * answersOf(limited) },
      estimatedInputTokens: about,
    });
    const answer = new StreamedAnswer(live, new Production(about, live.start), call);
    // The reservation must cover the call. Without one, only the provider's own limit holds.
    const request = live.isPaidFromCredits ? limited : generation;
    await answer.begin((options) =>
      hosted.generate(requireUpstream(model, hosted), request, { ...options, stream, workspace }),
    );
    return answer;
  }
}

/** The number of answers that may have to be paid for. */
const answersOf = ({ choices = 1, candidates = 1, prompts }: GenerationRequest): number =>
  Math.max(choices, candidates) * Math.max(prompts?.length ?? 1, 1);
