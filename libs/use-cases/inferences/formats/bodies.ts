import type { Json, JsonObject } from '#domain/json.js';
import { asList, asObject } from './fields.js';

/** What a response of a provider says. */
export interface Answered {
  /** As calls of that dialect are recorded; null: none. */
  readonly output: Json;
  readonly task: 'generate' | 'embed';
  readonly format: 'native' | 'openai' | 'anthropic';
  /** null for an answer. */
  readonly error: string | null;
  /** The other fields of the response, such as its usage. */
  readonly rest: JsonObject;
}

/** Reads the body of a response in the form of OpenAI, Anthropic or Gemini; any other is an answer as it stands. */
export function answered(body: Json): Answered {
  const native = { task: 'generate', format: 'native', error: null, rest: {} } as const;
  const response = asObject(body);
  if (response === null) return { ...native, output: body === '' ? null : body };
  const openai = { ...native, format: 'openai' } as const;
  const { choices, content, output, data, candidates, error } = response;
  if (asList(choices)?.length) {
    const answers = asList(choices)!.map((each) => asObject(each));
    const messages = answers.map((choice) => choice?.['message'] ?? choice?.['text'] ?? null);
    const finish = answers.map((choice) => choice?.['finish_reason'] ?? null);
    const reasons = finish.some((reason) => reason !== null) && { finish_reason: single(finish) };
    return { ...openai, output: single(messages), rest: { ...without(response, 'choices'), ...reasons } };
  }
  if (asList(output) && response['object'] === 'response')
    return { ...openai, output: { output: output! }, rest: without(response, 'output') };
  if (isEmbeddings(data)) return { ...openai, task: 'embed', output: { data: data! }, rest: without(response, 'data') };
  if (asList(content) && response['type'] === 'message') {
    const rest = without(response, 'role', 'type', 'content');
    return { ...native, format: 'anthropic', output: { role: 'assistant', content: content! }, rest };
  }
  const text = asList(candidates) && textOfGemini(candidates!);
  if (text) return { ...native, output: text, rest: without(response, 'candidates') };
  if (error !== undefined && error !== null)
    return { ...native, output: null, error: messageOf(error), rest: without(response, 'error') };
  return { ...native, output: Object.keys(response).length > 0 ? response : null };
}

/** The tokens of an answer's `usage`, of OpenAI or Anthropic. OpenAI counts cached ones among those of the input. */
export function tokensIn(usage: Json | undefined): JsonObject {
  const counts = asObject(usage) ?? {};
  const cached = asObject(counts['prompt_tokens_details'] ?? counts['input_tokens_details'])?.['cached_tokens'];
  const read = numberOf(counts['cache_read_input_tokens'] ?? cached);
  const input = numberOf(counts['prompt_tokens'] ?? counts['input_tokens']);
  return {
    input_tokens: cached === undefined ? input : Math.max(0, input - read),
    output_tokens: numberOf(counts['completion_tokens'] ?? counts['output_tokens']),
    cache_read_tokens: read,
    cache_write_tokens: numberOf(counts['cache_creation_input_tokens']),
  };
}

/** A text is what a user said, as in requests to `/v1/responses`. */
export const asked = (input: Json): Json => (typeof input === 'string' && input !== '' ? { input } : input);

/** The message in an error, as providers and gateways write one. */
export function messageOf(error: Json): string {
  const { message, error: inner, detail } = asObject(error) ?? {};
  const said = message ?? inner ?? detail ?? error;
  return typeof said === 'string' ? said : JSON.stringify(said);
}

/** The type of an error by the status that the provider answered. */
export function errorTypeOf(status: number | null): string {
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429 || status === 529) return 'capacity_exhausted';
  return status === 499 ? 'cancelled' : 'internal';
}

const without = (response: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(response).filter(([name]) => !names.includes(name)));
const single = (all: readonly Json[]): Json => (all.length === 1 ? all[0]! : all);
const numberOf = (value: Json | undefined): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0;
const isEmbeddings = (data: Json | undefined): boolean => asObject(asList(data)?.[0])?.['embedding'] !== undefined;

function textOfGemini(candidates: Json): string | null {
  const content = asObject(asObject(asList(candidates)?.[0])?.['content']);
  const texts = (asList(content?.['parts']) ?? []).map((part) => asObject(part)?.['text']);
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts.join('') : null;
}
