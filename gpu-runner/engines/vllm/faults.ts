import { HostedModelError } from '#calls/hosted/port.js';
import { withoutPaths } from '#primitives/text/without-paths.js';
import { EngineUnavailableError, RefusedGenerationError, type GenerateRequest } from '../decoder-engine.js';
import { UnreadableAnswerError } from './answer.js';

/** The server has no model of this name: it was started again since the adapter was loaded. */
export const isUnknownModel = (error: unknown): boolean =>
  error instanceof HostedModelError && error.details.upstreamStatus === 404;

/** The prompt and the requested tokens together exceed the context window, or the prompt alone does. */
export const isBeyondWindow = (error: unknown): boolean =>
  error instanceof HostedModelError && error.kind === 'rejected' && /context length/i.test(error.message);

/** The error that reports a failed generation; servers' own words about a request are for the user, all others for the log. */
export function generationFault(error: unknown, log: (line: string) => void): unknown {
  if (error instanceof UnreadableAnswerError) {
    log(error.message);
    return new EngineUnavailableError('The server that generates with this model gave an answer that cannot be read');
  }
  if (!(error instanceof HostedModelError)) return error;
  if (error.kind === 'rejected') {
    const { param } = error.details;
    return new RefusedGenerationError(FIELDS[param ?? ''] ?? fieldIn(error.message), withoutPaths(error.message));
  }
  const { code } = (error.cause ?? {}) as { code?: string };
  log(`failed: ${error.message}${code ? ` (${code})` : ''}`);
  return new EngineUnavailableError(
    `The server that generates with this model ${SAYS[error.kind] ?? SAYS.unavailable}`,
  );
}

const SAYS: Readonly<Record<string, string>> & { readonly unavailable: string } = {
  saturated: 'takes no more requests now',
  timeout: 'did not answer in time',
  unavailable: 'is not ready, or broke off its answer',
};

/** The fields of a request by those that servers name. */
const FIELDS: Readonly<Record<string, keyof GenerateRequest>> = {
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  stop: 'stop',
  seed: 'seed',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  logprobs: 'logprobs',
  top_logprobs: 'logprobs',
  tools: 'tools',
  tool_choice: 'toolChoice',
  response_format: 'format',
  structured_outputs: 'format',
};

/** The field named in a message, if the server does not name it separately. */
const fieldIn = (message: string): keyof GenerateRequest =>
  /\btool/i.test(message) ? 'tools' : /\b(?:schema|grammar|structured)/i.test(message) ? 'format' : 'input';
