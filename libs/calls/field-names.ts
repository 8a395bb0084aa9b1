import type { GenerationRequest } from '#hosted-models/port.js';

/** The names of a request's parts in a dialect's body. */
export type FieldNames = Readonly<Partial<Record<keyof GenerationRequest, string>>>;

/** The names in chat completions. Other dialects give those that differ (`CompatibleRequest.names`). */
const USUAL_NAMES: FieldNames = {
  maxTokens: 'max_tokens',
  stop: 'stop',
  choices: 'n',
  candidates: 'best_of',
  logprobs: 'logprobs',
  logitBias: 'logit_bias',
  responseFormat: 'response_format',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  thinking: 'reasoning_effort',
  messages: 'messages',
  prompts: 'prompt',
};

export const nameIn = (names: FieldNames | undefined, field: keyof GenerationRequest): string =>
  names?.[field] ?? USUAL_NAMES[field] ?? field;
