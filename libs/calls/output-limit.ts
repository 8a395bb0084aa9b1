import type { GenerationRequest } from './hosted/port.js';

/** Output tokens of a request that sets no limit, besides those that it gives the model to think. */
export const DEFAULT_MAX_TOKENS = 4_096;

/** The most output tokens of a request, thoughts included. */
export const outputLimit = ({ maxTokens, thinking }: GenerationRequest): number =>
  maxTokens ?? DEFAULT_MAX_TOKENS + (thinking?.budgetTokens ?? 0);
