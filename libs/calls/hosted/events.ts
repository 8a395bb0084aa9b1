import { tokenCounts, type ServedBy, type TokenCounts } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { Style } from './request.js';

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

export interface TokenUsage extends TokenCounts {
  /** Part of the output tokens, if the provider reports it. */
  readonly thinkingTokens?: number;
}

export const NO_USAGE: TokenUsage = tokenCounts({});

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
