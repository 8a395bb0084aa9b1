import type { ServedBy } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';

/**
 * The port to hosted models. Requests in any dialect become one `GenerationRequest`, and answers of any provider one
 * stream of `GenerationEvent`s.
 */
export interface HostedModels {
  /** Whether the configuration has a provider of this name. */
  has(provider: string): boolean;
  /** Whether a provider of the model accepts its thoughts back only with their signature. */
  verifiesThoughts(model: HostedModel): boolean;
  /**
   * Runs a request. It is sent when the first events are requested; leaving the loop early, or aborting, cancels it
   * upstream. Events come in batches, like the provider's pieces: none is held back, and none costs a turn of its own.
   * @throws HostedModelError before or between events
   */
  generate(
    model: HostedModel,
    request: GenerationRequest,
    options?: GenerateOptions,
  ): AsyncIterable<readonly GenerationEvent[]>;
  /** @throws HostedModelError */
  embed(model: HostedModel, request: EmbeddingRequest, options?: UpstreamOptions): Promise<Embeddings>;
  /**
   * Input tokens by the provider's own count; null if its style has no such call.
   * @throws HostedModelError
   */
  countTokens(model: HostedModel, request: GenerationRequest, options?: UpstreamOptions): Promise<number | null>;
  /** Cancels running calls. */
  close(): Promise<void>;
}

/** A model of a provider: `provider` of a catalog entry. */
export interface HostedModel {
  /** Provider name in the providers file. */
  readonly name: string;
  /** The model's id there. */
  readonly model: string;
  /** Fallbacks, tried in this order while the ones before are unavailable; none after the first byte. */
  readonly fallbacks?: readonly { readonly name: string; readonly model: string }[];
}

export interface UpstreamOptions {
  /** Aborts when the client has disconnected. */
  readonly signal?: AbortSignal;
  /** The workspace that shares the provider's connections with others. Default: the installation itself. */
  readonly workspace?: CallingWorkspace;
}

export interface CallingWorkspace {
  readonly id: string;
  /** Maximum number of its calls at one provider, in flight or waiting for a connection. */
  readonly maxCalls: number;
}

export interface GenerateOptions extends UpstreamOptions {
  /** Whether the provider streams; false requests the whole answer at once, as one batch. Default true. */
  readonly stream?: boolean;
  /** Called once with the provider that answers, before the first event. */
  readonly onProvider?: (provider: { readonly name: string; readonly model: string }) => void;
  /** Called before the first event with the hints of the request that the model was not given, by the names of the caller's dialect. */
  readonly onDropped?: (names: readonly string[]) => void;
}

/**
 * The provider decides about absent fields. A field that the provider's style cannot carry is refused by name if it
 * changes the answer's content; a hint is dropped, and the caller is told (`GenerateOptions.onDropped`).
 */
export interface GenerationRequest {
  /** Empty for the continuation of a text. */
  readonly messages: readonly Message[];
  /** Texts to be continued unchanged, each separately (`/v1/completions`): choices are numbered through them. */
  readonly prompts?: readonly string[];
  readonly maxTokens?: number;
  /** 0 to 2. */
  readonly temperature?: number;
  /** Above 0, at most 1. */
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** Number of answers to the same messages (`n`). */
  readonly choices?: number;
  /** Number of candidates from which the provider picks the answers (`best_of`); all of them are paid for. */
  readonly candidates?: number;
  /** Requests log probabilities of the chosen tokens, and of `top` alternatives at each place. */
  readonly logprobs?: { readonly top: number };
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** Bias by token id, -100 to 100. */
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly responseFormat?: ResponseFormat;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly thinking?: Thinking;
  /** An id of the caller's own user, for the provider's abuse checks. */
  readonly endUser?: string;
  /** Length of the answer. */
  readonly verbosity?: Verbosity;
  /** Cache key of a common prompt prefix, and how long the provider keeps it. */
  readonly promptCacheKey?: string;
  readonly promptCacheRetention?: string;
  /** Speed and price class at the provider. */
  readonly serviceTier?: string;
  /** Fields unknown to this installation, unchanged: passed on to any provider. */
  readonly unknownFields?: JsonObject;
  /** The request as the caller sent it, for a provider of the very style. */
  readonly verbatim?: Verbatim;
}

/**
 * A request to a provider of the same style, unchanged except the model's name there, and whether it is streamed. So
 * fields of the style that this installation does not understand still pass through.
 */
export interface Verbatim {
  readonly style: Style;
  readonly body: JsonObject;
  /**
   * Paths of the fields that occur nowhere else in the request: for a provider of another style they are dropped if they are hints, and
   * else refused by name (`Dropped.dropForeign`). Each has an effect.
   */
  readonly only?: readonly string[];
  /** Headers of the dialect (version, betas), by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Dialects and providers that speak alike. Not every style of a dialect has providers. */
export type Style = 'openai' | 'openai-completions' | 'openai-responses' | 'anthropic';

export type ResponseFormat =
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly schema: JsonObject;
      readonly description?: string;
      readonly strict?: boolean;
    };

export type Thinking = {
  /** `adaptive`: as much as the model finds right. */
  readonly mode?: 'enabled' | 'disabled' | 'adaptive';
  readonly budgetTokens?: number;
  readonly effort?: Effort;
};

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

export const VERBOSITIES = ['low', 'medium', 'high'] as const;
export type Verbosity = (typeof VERBOSITIES)[number];

export type Tool = FunctionTool | ForeignTool;

export interface FunctionTool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly parameters: JsonObject;
  readonly strict?: boolean;
  readonly cacheControl?: JsonObject;
}

/** A tool that the provider itself runs; only providers of its style accept it. */
export interface ForeignTool {
  readonly foreign: Style;
  /** The type's name as the caller wrote it. */
  readonly name: string;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export interface Message {
  readonly role: Role;
  readonly content: readonly ContentPart[];
  /** The speaker's name among several, if the caller gives one. */
  readonly name?: string;
}

export const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof ROLES)[number];

export type ContentPart = ContentKind & {
  /** The caller's own cache marker on this part, passed on unchanged to providers that take such markers. */
  readonly cacheControl?: JsonObject;
};

export type ContentKind =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: MediaSource; readonly detail?: string }
  | { readonly type: 'document'; readonly source: MediaSource; readonly title?: string }
  | { readonly type: 'audio'; readonly format: string; readonly data: string }
  /** `signature` proves to the provider that these are its own thoughts. Redacted: no `text`, and their opaque data is the `signature`. */
  | { readonly type: 'thinking'; readonly text: string; readonly signature?: string; readonly redacted?: boolean }
  | { readonly type: 'refusal'; readonly text: string }
  /** `input` as the model wrote it: JSON text, which may not parse. */
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: string }
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly content: readonly ContentPart[];
      readonly isError?: boolean;
    }
  /** A part that only providers of one style know, by its type there. Its content is in `verbatim`. */
  | { readonly type: 'foreign'; readonly style: Style; readonly name: string };

export type MediaSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  /** A file that the provider holds. */
  | { readonly kind: 'file'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string };

/**
 * Events in order. Parts are numbered from 0 in each choice; text, thinking and refusals arrive in any number of
 * pieces. `choice` defaults to 0.
 */
export type GenerationEvent =
  | {
      readonly type: 'text';
      readonly part: number;
      readonly text: string;
      readonly choice?: number;
      /**
       * An entry per token, `{token, logprob, bytes, top_logprobs: [{token, logprob, bytes}]}`, as in chat
       * completions.
       */
      readonly logprobs?: Json;
    }
  | {
      readonly type: 'thinking';
      readonly part: number;
      readonly text: string;
      readonly signature?: string;
      readonly redacted?: boolean;
      readonly choice?: number;
    }
  | {
      readonly type: 'refusal';
      readonly part: number;
      readonly text: string;
      readonly choice?: number;
      /** An entry per token, as for text. */
      readonly logprobs?: Json;
    }
  | {
      readonly type: 'tool-call';
      readonly part: number;
      /** '' if the model answers in the style before tools (`function_call`). */
      readonly id: string;
      readonly name: string;
      readonly choice?: number;
    }
  | { readonly type: 'tool-input'; readonly part: number; readonly json: string; readonly choice?: number }
  /**
   * A part, or a piece of one, that only this style has, unchanged. Of style `openai`: fields of the message or the
   * delta that are unknown here, such as `{audio}`, or `{tool_calls}` with custom ones. Of style `anthropic`: a content
   * block, or a delta; a delta may also add to a part of another type (`citations_delta` to a text).
   */
  | {
      readonly type: 'foreign';
      readonly part: number;
      readonly style: Style;
      readonly value: JsonObject;
      readonly isDelta: boolean;
      readonly choice?: number;
    }
  /**
   * Further fields of the answer, for a caller of the same style; merged, later ones win. Style `anthropic`: message
   * fields with no other place (`container`, `stop_details`, `context_management`), the original `stop_reason`, and the
   * whole `usage`.
   */
  | { readonly type: 'details'; readonly style: Style; readonly fields: JsonObject }
  /** The usage so far; a later event replaces an earlier one. */
  | {
      readonly type: 'usage';
      readonly usage: TokenUsage;
      /** The engine that answered, if one here did. */
      readonly servedBy?: ServedBy;
    }
  /** The last event of each choice. */
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly stopSequence?: string;
      readonly choice?: number;
    };

/** The counts are disjoint: input tokens exclude those read from or written to a cache. */
export interface TokenUsage {
  readonly inputTokens: number;
  /** Includes the tokens of thinking. */
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Part of the output tokens, if the provider reports it. */
  readonly thinkingTokens?: number;
}

export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export const FINISH_REASONS = [
  'stop',
  'length',
  'stop_sequence',
  'tool_calls',
  'content_filter',
  'refusal',
  'pause',
] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

export interface EmbeddingRequest {
  /** 1 to 2,048. */
  readonly inputs: readonly string[];
  /** Fewer than the model's own dimensions, if it can. */
  readonly dimensions?: number;
  /**
   * Encoding of the provider's response: JSON numbers, or base64 of 32-bit floats in a third of the bytes (the
   * default).
   */
  readonly encoding?: 'float' | 'base64';
  readonly endUser?: string;
  readonly unknownFields?: JsonObject;
}

export interface Embeddings {
  /** A vector for each input, in their order. */
  readonly vectors: readonly (readonly number[] | Float32Array)[];
  /** null: the provider did not count them. */
  readonly inputTokens: number | null;
}

/** The kind of a provider's failure, as the caller sees it. */
export type HostedModelErrorKind =
  /** The provider refuses the request itself: `status` and message are for the caller. */
  | 'rejected'
  /** Rate limit or saturation there. */
  | 'saturated'
  /** The provider is down, refuses the operator's key, or answers malformed content. */
  | 'unavailable'
  | 'timeout'
  /** The workspace itself has too many calls there: `details.queue`. */
  | 'crowded'
  /** The caller has disconnected. */
  | 'cancelled';

export class HostedModelError extends Error {
  override readonly name = 'HostedModelError';
  constructor(
    readonly kind: HostedModelErrorKind,
    /** Shown to the caller: contains no name, key or address of the provider, or other detail of the operator's account. */
    message: string,
    readonly details: {
      /** Provider name in the providers file, for the log. */
      readonly provider?: string;
      /** The provider's status, if it answered: 400, 413 or 422 for `rejected`. */
      readonly upstreamStatus?: number;
      readonly retryAfterSeconds?: number;
      /** Only for `crowded`: the number of the workspace's calls, and the limit. */
      readonly queue?: { readonly length: number; readonly limit: number };
      /** The provider's own `code` and `param` of `rejected`, if it sent some. */
      readonly code?: string;
      readonly param?: string;
    } = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get provider(): string | undefined {
    return this.details.provider;
  }
}

/** The error for a field that the provider's style cannot carry; it names the field. */
export const notCarried = (what: string): HostedModelError =>
  new HostedModelError('rejected', `${what} cannot be sent to this model's provider`, {
    upstreamStatus: 422,
    ...(FIELD.test(what) && { param: what }),
  });

const FIELD = /^[a-z_]+(?:\.[a-z_]+)*$/;

/** A message of one text. */
export const textMessage = (role: Role, text: string): Message => ({ role, content: [{ type: 'text', text }] });
