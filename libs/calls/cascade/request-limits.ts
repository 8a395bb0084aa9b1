import type { CanonicalAnswer } from '#distillation/calls/answers.js';
import type { GenerationRequest } from '../hosted/port.js';
import { estimateTokens } from '../tokens.js';

/** Whether one answer in words is asked for: a student has neither several nor their probabilities. */
export const isPlain = ({ choices = 1, candidates = 1, prompts, logprobs, toolChoice }: GenerationRequest): boolean =>
  choices === 1 && candidates === 1 && (prompts?.length ?? 1) === 1 && !logprobs && toolChoice !== 'none';

/** Whether an answer keeps the request's limits, so that it is not cut. */
export const isWithin = ({ maxTokens, stop = [] }: GenerationRequest, { text }: CanonicalAnswer): boolean =>
  (maxTokens === undefined || estimateTokens(Buffer.byteLength(text)) <= maxTokens) &&
  !stop.some((sequence) => text.includes(sequence));

/** Whether an answer calls the tool, or any tool, where the request wants that. */
export const isChosen = ({ toolChoice = 'auto' }: GenerationRequest, { tool }: CanonicalAnswer): boolean =>
  toolChoice === 'auto' || (typeof toolChoice === 'object' ? tool === toolChoice.name : tool !== null);
