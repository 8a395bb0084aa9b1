import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { SignedThoughts } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import type {
  FinishReason,
  GenerateOptions,
  GenerationEvent,
  GenerationRequest,
  TokenUsage,
  UpstreamOptions,
} from './hosted/port.js';
import type { VisibleCatalog } from '#models/catalog/visible-catalog.js';
import { whole, type AnswerStream } from './answer-stream.js';
import { RUNNER } from './backends/runner/backend.js';
import { eventsOf, type StudentAnswer } from './cascade/student-answer.js';
import { requireGenerator } from './fit.js';
import type { CallBackend, Lifecycle } from './lifecycle.js';
import { catalogModel, type Model } from './models.js';
import { outputLimit } from './output-limit.js';
import { textOf, type Produced } from './produced.js';
import { Production } from './production.js';
import type { CallRequest } from './request.js';
import { StreamedAnswer } from './streamed-answer.js';
import { sizeOf } from './tokens.js';

export interface DecoderCall extends CallRequest {
  readonly generation: GenerationRequest;
  /** The output shown in the history; default: the text. */
  readonly output?: (produced: Produced) => Json;
  /** Whether the provider streams; false requests the whole answer at once. Default true. */
  readonly stream?: boolean;
}

export interface DecoderAnswer {
  readonly inferenceId: string;
  readonly text: string;
  /** Calls of tools. */
  readonly calls: readonly { readonly name: string; readonly input: string }[];
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  readonly latencyMs: number;
  /** Hints that the model was not given. */
  readonly dropped: readonly string[];
}

/** Runs a request; its events are drawn once. */
export type Generate = (
  request: GenerationRequest,
  options: Required<Pick<GenerateOptions, 'signal' | 'onProvider' | 'onDropped'>> & { readonly inferenceId: string },
) => AsyncIterable<readonly GenerationEvent[]>;

/** Where decoders run: at hosted providers, or in local engines. */
export interface DecoderSource {
  readonly backend: CallBackend;
  /** Prepares a call, before it is admitted. @throws InvalidError naming what of the request the model cannot do */
  open(model: Model, call: DecoderCall): Promise<Generate>;
  /** Keeps the signed thoughts of an answer for its next turn. */
  remember?(caller: Caller, thoughts: SignedThoughts): void;
  /**
   * Loads the model if necessary.
   * @throws DomainError
   */
  warmUp(model: Model, caller: Caller): Promise<void>;
  /**
   * Input tokens of a request; null if only the model itself can count them.
   * @throws DomainError
   */
  countTokens(
    model: Model,
    caller: Caller,
    request: GenerationRequest,
    options: UpstreamOptions,
  ): Promise<number | null>;
}

interface DecodersParts {
  readonly lifecycle: Lifecycle;
  readonly catalog: Pick<VisibleCatalog, 'resolve'>;
  readonly hosted: DecoderSource;
  readonly engines: DecoderSource;
}

/** Decoders, wherever they run, for the routes that generate and for the generator of synthetic data. */
export class Decoders {
  constructor(private readonly parts: DecodersParts) {}

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

  /** Loads the model without running it; not recorded, and free. @throws DomainError */
  async warmUp(model: Model, caller: Caller): Promise<void> {
    await this.parts.lifecycle.admit(caller, model);
    await this.sourceOf(model).warmUp(model, caller);
  }

  /**
   * Input tokens of a request, counted by its source, or estimated. Neither recorded nor charged.
   * @throws as a free call does
   */
  async countTokens(
    model: Model,
    caller: Caller,
    request: GenerationRequest,
    options: UpstreamOptions,
  ): Promise<number> {
    await this.parts.lifecycle.admit(caller, model);
    const counted = await this.sourceOf(model).countTokens(model, caller, request, options);
    return counted ?? sizeOf(request, model.entry.context_window).about;
  }

  /**
   * @throws BillingError, RegionRestrictedError before anything runs
   * @throws UpstreamRejectedError the provider refused the request itself: its status and message
   * @throws UnavailableError any other failure; with `retryAfterSeconds` if the provider gave one
   */
  async run(model: Model, call: DecoderCall): Promise<DecoderAnswer> {
    return wholeAnswerOf(await this.start(model, call));
  }

  /**
   * Resolves once the first events have arrived and its opening is on the log.
   * @throws as `run` does, before any part of an answer
   */
  async start(model: Model, call: DecoderCall): Promise<AnswerStream> {
    const { generation } = call;
    const source = this.sourceOf(model);
    const generate = await source.open(model, call);
    const { about, most } = sizeOf(generation, model.entry.context_window);
    const limited = { ...generation, maxTokens: outputLimit(generation) };
    const { lifecycle } = this.parts;
    const live = await lifecycle.begin(call, {
      ...{ backend: source.backend, model, task: 'generate' },
      most: { input: most, output: limited.maxTokens * answersOf(limited) },
      estimatedInputTokens: about,
    });
    const remember = (thoughts: SignedThoughts) => source.remember?.(call.caller, thoughts);
    const answer = new StreamedAnswer(live, new Production(about, live.start), call, remember);
    // The reservation, whose worst case must be known before the call runs, must cover the call. Without one, only the source's own limit holds.
    const request = live.isBounded ? limited : generation;
    const { inferenceId } = live;
    await answer.begin((options) => generate(request, { ...options, inferenceId }));
    return answer;
  }

  /**
   * An answer that a distilled version has given in its teacher's place, as a call of that version: admitted, recorded and charged as any.
   * @param audit asks the teacher as well, unseen, once the answer is on the log; null: it is not asked
   * @throws DomainError before any part of an answer
   */
  async give(
    model: Model,
    call: DecoderCall,
    student: StudentAnswer,
    audit: ((again: DecoderCall) => Promise<unknown>) | null,
  ): Promise<AnswerStream> {
    const { lifecycle } = this.parts;
    const { inputTokens: input } = student;
    const asked = audit ? lifecycle.shadows.again(call, audit) : call;
    const live = await lifecycle.begin(asked, {
      ...{ backend: RUNNER, model, task: 'generate', most: { input, output: 0 }, estimatedInputTokens: input },
    });
    const answer = new StreamedAnswer(live, new Production(input, live.start), asked, () => undefined);
    await answer.begin(() => eventsOf(student));
    return answer;
  }

  private sourceOf({ entry }: Model): DecoderSource {
    return entry.provider === null ? this.parts.engines : this.parts.hosted;
  }
}

/** Reads an answer to its end. @throws DomainError */
export async function wholeAnswerOf(answer: AnswerStream): Promise<DecoderAnswer> {
  const { inferenceId, produced, usage, latencyMs, dropped } = await whole(answer);
  const [choice] = produced.choices;
  const calls = choice!.parts.filter((part) => part.type === 'tool-call');
  const finishReason = choice!.finish ?? 'stop';
  return { inferenceId, text: textOf(choice!), calls, finishReason, usage, latencyMs, dropped };
}

/** The number of answers that may have to be paid for. */
const answersOf = ({ choices = 1, candidates = 1, prompts }: GenerationRequest): number =>
  Math.max(choices, candidates) * Math.max(prompts?.length ?? 1, 1);
