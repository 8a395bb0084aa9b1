import type { JsonObject } from '#domain/json.js';

/**
 * The port to models that others serve. Whatever dialect a request came in and whatever provider it goes to, in between it is
 * one `GenerationRequest`, and what comes back is one stream of `GenerationEvent`s.
 */
export interface HostedModels {
  /** Whether the configuration has a provider of this name. */
  has(provider: string): boolean;
  /**
   * Runs a request. It is sent when the first event is asked for; leaving the loop early, or aborting, cancels it upstream.
   * @throws HostedModelError before or between events
   */
  generate(model: HostedModel, request: GenerationRequest, options?: GenerateOptions): AsyncIterable<GenerationEvent>;
  /** Cancels what is under way. */
  close(): Promise<void>;
}

/** Which model of which provider: `provider` of a catalog entry. */
export interface HostedModel {
  /** Of the provider, as in the providers file. */
  readonly name: string;
  /** The model's id there. */
  readonly model: string;
}

export interface GenerateOptions {
  /** Aborts when the client has gone. */
  readonly signal?: AbortSignal;
}

/** What is absent is left to the provider. */
export interface GenerationRequest {
  readonly messages: readonly Message[];
  readonly maxTokens?: number;
  /** 0 to 2. */
  readonly temperature?: number;
  /** Above 0, at most 1. */
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly responseFormat?: ResponseFormat;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly thinking?: { readonly budgetTokens?: number; readonly effort?: 'low' | 'medium' | 'high' };
}

export type ResponseFormat =
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: JsonObject; readonly strict?: boolean };

export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly parameters: JsonObject;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export interface Message {
  readonly role: Role;
  readonly content: readonly ContentPart[];
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
  /** `signature` proves to the provider that these are its own thoughts; redacted ones are opaque. */
  | { readonly type: 'thinking'; readonly text: string; readonly signature?: string; readonly redacted?: boolean }
  /** `input` as the model wrote it: JSON text, which may not parse. */
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: string }
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly content: readonly ContentPart[];
      readonly isError?: boolean;
    };

export type MediaSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string };

/** In order. Parts are numbered from 0; a text or thinking part comes in any number of pieces. */
export type GenerationEvent =
  | { readonly type: 'text'; readonly part: number; readonly text: string }
  | { readonly type: 'thinking'; readonly part: number; readonly text: string; readonly signature?: string }
  | { readonly type: 'tool-call'; readonly part: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-input'; readonly part: number; readonly json: string }
  /** What is known so far; a later one replaces an earlier one. */
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  /** Once, last. */
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly stopSequence?: string };

/** The four kinds are disjoint: input tokens do not include those read from or written to a cache. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export type FinishReason = 'stop' | 'length' | 'stop_sequence' | 'tool_calls' | 'content_filter';

/** What a provider answered, as far as it concerns the caller. */
export type HostedModelErrorKind =
  /** The provider refuses the request itself: `status` and message are for the caller. */
  | 'rejected'
  /** Rate limit or saturation there. */
  | 'saturated'
  /** It is down, refuses our key, or what it answers makes no sense. */
  | 'unavailable'
  | 'timeout'
  /** The caller has gone. */
  | 'cancelled';

export class HostedModelError extends Error {
  override readonly name = 'HostedModelError';
  constructor(
    readonly kind: HostedModelErrorKind,
    /** For the caller: it never holds a key, an address or anything of the provider's account. */
    message: string,
    readonly details: {
      /** What the provider answered, where it did: 400, 413 or 422 of `rejected`. */
      readonly upstreamStatus?: number;
      readonly retryAfterSeconds?: number;
      /** The provider's own `code` and `param` of `rejected`, where it sent some. */
      readonly code?: string;
      readonly param?: string;
    } = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A message of one text. */
export const textMessage = (role: Role, text: string): Message => ({ role, content: [{ type: 'text', text }] });
