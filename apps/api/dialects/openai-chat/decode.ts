import { ONLY_OPENAI } from '#calls/hosted/fields/openai-chat.js';
import type { GenerationRequest } from '#calls/hosted/port.js';
import { BodySchema } from '../../edge/validation/body-schema.js';
import { type Reader } from '#primitives/reader.js';
import { isPresent } from '#primitives/values.js';
import { refuseSchemaOfNoHead } from '#calls/schema/decode.js';
import { unknownFields, verbatim } from '../shared/caller-body.js';
import { DialectReader } from '../shared/dialect-reader.js';
import type { FieldNames } from '#calls/field-names.js';
import { commonOf } from '../shared/read-extensions.js';
import type { CompatibleRequest } from '../shared/request.js';
import { messagesOf } from './decode-messages.js';
import { samplingOf } from './decode-sampling.js';
import { REASONING, thinkingOf } from './decode-thinking.js';
import { customNames, responseFormatOf, toolsOf } from './decode-tools.js';
import { ChatCompletionBody } from './dto.js';
import type { SamplingBody } from './sampling-dto.js';
import type { ChatSpeech } from './stream.js';

/** The answer of a body with `functions` (before tools) has them too. */
type ChatRequest = CompatibleRequest & ChatSpeech;

const chatBody = new BodySchema(ChatCompletionBody);

type OnlyOpenAi = keyof typeof ONLY_OPENAI;

/** Fields that are stored here with the answer. */
const KEPT_HERE = ['metadata'];

/** Checks the body of `POST /v1/chat/completions`. @throws InvalidError naming every field that is wrong */
export function decodeChat(sent: unknown): ChatRequest {
  const body = chatBody.checkedLoosely(sent, refuseContradictions);
  const reader = new DialectReader();
  refuseContradictions(reader, body);
  const common = commonOf(reader, body);
  const { names: limitName, ...limit } = limitOf(body);
  const generation: GenerationRequest = {
    messages: messagesOf(reader, body.messages),
    ...limit,
    ...samplingOf(body),
    ...(body.logprobs && { logprobs: { top: body.top_logprobs ?? 0 } }),
    ...endUserOf(reader, body),
    ...thinkingOf(reader, body),
    ...responseFormatOf(reader, body.response_format),
    ...toolsOf(reader, body),
    ...unknownFields(body, { has: (name) => chatBody.fields.has(name) || name === REASONING }),
  };
  const includeUsage = streamsUsage(reader, body.stream_options);
  for (const name of Object.keys(ONLY_OPENAI) as OnlyOpenAi[]) if (hasEffect(name, body[name])) reader.only.push(name);
  reader.done();
  return {
    ...common,
    generation: { ...generation, verbatim: verbatim('openai', body, reader.only, KEPT_HERE) },
    includeUsage,
    hasFunctions: isPresent(body.functions),
    customTools: customNames(body),
    names: { ...limitName, ...toolNames(body), ...(isPresent(body.thinking) && { thinking: 'thinking' }) },
  };
}

/** @param given a body of any kind */
function refuseContradictions(reader: Reader, given: object): void {
  const body = given as Readonly<Record<string, unknown>>;
  refuseSchemaOfNoHead(reader, body['schema']);
  if (isPresent(body['messages']) && isPresent(body['input']))
    reader.refuse(['input'], 'must not be sent with messages, its name on this route; send one of them', 'not_allowed');
  const { logprobs, top_logprobs: top } = body;
  if (logprobs !== true && typeof top === 'number' && top > 0)
    reader.refuse(['top_logprobs'], 'needs logprobs: true; send both or neither', 'not_allowed');
}

/** Functions are tools by an older name, and are called one at a time without anybody saying so. */
const toolNames = ({ functions, tools, parallel_tool_calls: parallel }: ChatCompletionBody): FieldNames => ({
  ...(isPresent(functions) && !isPresent(tools) && { tools: 'functions' }),
  ...(isPresent(functions) && !isPresent(parallel) && { parallelToolCalls: 'functions' }),
});

/** `max_completion_tokens` is the newer name; of both, the lower limit holds both. */
function limitOf({
  max_tokens: older,
  max_completion_tokens: newer,
}: ChatCompletionBody): Pick<GenerationRequest, 'maxTokens'> & { names?: FieldNames } {
  if (isPresent(newer) && newer <= (older ?? newer))
    return { maxTokens: newer, names: { maxTokens: 'max_completion_tokens' } };
  return isPresent(older) ? { maxTokens: older } : {};
}

/**
 * Whether a field changes the answer; a field without effect needs no support from a provider. An empty object can have
 * one: `web_search_options` turns the search on.
 */
function hasEffect(name: OnlyOpenAi, value: unknown): boolean {
  if (name === 'service_tier' && value === 'auto') return false;
  if (name === 'modalities' && Array.isArray(value) && value.every((modality) => modality === 'text')) return false;
  return isPresent(value);
}

/** The newer name of `user`; if both are present and differ, only OpenAI can interpret them. */
function endUserOf(
  reader: DialectReader,
  { user, safety_identifier: identifier }: ChatCompletionBody,
): Pick<GenerationRequest, 'endUser'> {
  if (isPresent(user) && isPresent(identifier) && user !== identifier) reader.only.push('safety_identifier');
  const endUser = user ?? identifier;
  return isPresent(endUser) ? { endUser } : {};
}

const STREAM_OPTIONS = new Set(['include_usage', 'include_obfuscation']);

/** @returns whether the stream reports usage */
export function streamsUsage(reader: DialectReader, options: SamplingBody['stream_options']): boolean {
  if (!isPresent(options)) return false;
  reader.carryOthers(options, STREAM_OPTIONS, ['stream_options']);
  if (options.include_obfuscation) reader.carry(true, ['stream_options', 'include_obfuscation']);
  return options.include_usage ?? false;
}
