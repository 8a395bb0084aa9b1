import type { JsonObject } from '#domain/json.js';

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
interface ForeignTool {
  readonly foreign: Style;
  /** The type's name as the caller wrote it. */
  readonly name: string;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export interface Message {
  readonly role: MessageRole;
  readonly content: readonly ContentPart[];
  /** The speaker's name among several, if the caller gives one. */
  readonly name?: string;
}

export const MESSAGE_ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

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

/** A message of a chat in texts, with the calls of tools that it makes or answers. */
export function chatMessage({
  role,
  content,
  toolCalls = [],
  toolCallId,
  name,
}: {
  readonly role: MessageRole;
  readonly content: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly toolCallId?: string;
  readonly name?: string;
}): Message {
  const text = textMessage(role, content);
  if (role === 'tool' && toolCallId !== undefined)
    return { role, content: [{ type: 'tool-result', id: toolCallId, content: text.content }] };
  const calls = toolCalls.map((call) => ({ type: 'tool-call' as const, ...call }));
  const parts = content === '' && calls.length > 0 ? calls : [...text.content, ...calls];
  return { role, content: parts, ...(name !== undefined && { name }) };
}

/** A message of one text. */
export const textMessage = (role: MessageRole, text: string): Message => ({ role, content: [{ type: 'text', text }] });
