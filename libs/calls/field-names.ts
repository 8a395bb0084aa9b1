import type { GenerationRequest } from '#hosted-models/port.js';

/** How the body of a dialect calls the parts of a request. */
export type FieldNames = Readonly<Partial<Record<keyof GenerationRequest, string>>>;

/** As chat completions call them. Another dialect gives those that it calls otherwise (`CompatibleRequest.names`). */
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
