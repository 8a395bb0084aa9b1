/** Requests to a model that generates text, and its answers: of an engine, and over the bus. */

import { createHash } from 'node:crypto';
import type { ServedBy } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import type { ModelReference, QueueFull } from './inference.js';

/** Bus subject of generations by a base model that any runner which has it may answer. */
export const generationSubject = (baseModelId: string): string => `generation.any.${wordOf(baseModelId)}`;

/** Bus subject of generations that are meant for one runner. */
export const generationSubjectOf = (runnerName: string): string => `generation.runner.${wordOf(runnerName)}`;

/** Ids and names may hold characters that no subject has. */
const wordOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 16);

export interface GenerateCall {
  /** The caller's workspace; workspaces take turns. */
  readonly workspaceId: string;
  readonly model: ModelReference;
  /** null: the model is only loaded, and there are no frames. */
  readonly request: GenerateRequest | null;
}

/**
 * A frame of a runner's answer: a piece of it, the last one `end`. Or the only frame: when to retry, if the model will not
 * be loaded soon; or the number of the workspace's calls, if too many run and wait already.
 */
export type GenerateFrame = GeneratedChunk | { readonly retryAfterMs: number } | QueueFull;

/** Optional features of a base model. Every model takes messages or a prompt, a limit of tokens, `temperature`, `topP` and `stop`. */
export const GENERATION_FEATURES = [
  'topK',
  'seed',
  'logprobs',
  'frequencyPenalty',
  'presencePenalty',
  'tools',
  'json_object',
  'json_schema',
] as const;
export type GenerationFeature = (typeof GENERATION_FEATURES)[number];

/** The facts about a base model that generates text. A call for anything else is refused before a runner is asked. */
export interface GenerationFacts {
  /** Whether it takes messages. Without a chat template it continues a prompt. */
  readonly hasChatTemplate: boolean;
  readonly features: readonly GenerationFeature[];
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Calls that the assistant made in this message. */
  readonly toolCalls?: readonly ToolCall[];
  /** Id of the call that a message of role `tool` answers. */
  readonly toolCallId?: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text, as the model wrote them: it may not parse. */
  readonly input: string;
}

export interface GenerationTool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly parameters: JsonObject;
}

export type GenerationToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** The form that the answer must have. */
type AnswerFormat = { readonly type: 'json_object' } | { readonly type: 'json_schema'; readonly schema: JsonObject };

/** A request for one answer. Greedy without `temperature`, `topP` and `topK`. */
export interface GenerateRequest {
  /**
   * A chat, which a model without a chat template reads joined as in its training; or a text to be continued unchanged.
   */
  readonly input: { readonly messages: readonly ChatMessage[] } | { readonly prompt: string };
  /** Maximum tokens of the answer, which also ends with the context window; null: as many as the window has room for. */
  readonly maxTokens: number | null;
  /** 0 to 2; 0 is greedy. */
  readonly temperature?: number;
  /** Above 0, at most 1. */
  readonly topP?: number;
  readonly topK?: number;
  /** Texts before which it stops. */
  readonly stop?: readonly string[];
  /** The same request with the same seed gives the same answer. */
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** Log probabilities of the chosen tokens, and of `top` others at each place. */
  readonly logprobs?: { readonly top: number };
  readonly tools?: readonly GenerationTool[];
  readonly toolChoice?: GenerationToolChoice;
  readonly format?: AnswerFormat;
}

/** A token with its natural log probability. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8 of the token, which may be a part of a character. */
  readonly bytes: readonly number[] | null;
  readonly top: readonly Omit<TokenLogprob, 'top'>[];
}

/** A piece of an answer, in order. The last one is `end`. */
export type GeneratedChunk =
  | {
      readonly type: 'text';
      /** Whole characters. */
      readonly text: string;
      /** Present if requested: one entry for each token of the text. */
      readonly logprobs?: readonly TokenLogprob[];
    }
  | ({ readonly type: 'tool-call' } & ToolCall)
  | GenerationEnd;

export interface GenerationEnd {
  readonly type: 'end';
  readonly reason: 'stop' | 'length' | 'stop_sequence' | 'tool_calls';
  /** Given with `stop_sequence`. */
  readonly stopSequence?: string;
  /** Tokens of the rendered chat or the prompt, special tokens included. */
  readonly inputTokens: number;
  /** Including the token that ended it. */
  readonly outputTokens: number;
  /** Added by the runner. */
  readonly servedBy?: ServedBy;
}
