import { ONLY_ANTHROPIC } from '#calls/hosted/fields/anthropic-messages.js';
import type { GenerationRequest } from '#calls/hosted/port.js';
import { BodySchema } from '../../edge/validation/body-schema.js';
import { type Reader } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { refuseSchemaOfNoHead } from '#calls/schema/decode.js';
import { stopsOf } from '../native/decode-messages.js';
import { unknownFields, verbatim } from '../shared/caller-body.js';
import { DialectReader } from '../shared/dialect-reader.js';
import type { FieldNames } from '#calls/field-names.js';
import { commonOf, EXTENSIONS } from '../shared/read-extensions.js';
import type { CompatibleRequest } from '../shared/request.js';
import { messagesOf, systemOf } from './decode-messages.js';
import { outputOf, thinkingOf } from './decode-options.js';
import { toolChoiceOf, toolsOf } from './decode-tools.js';
import { AnthropicCountTokensBody, AnthropicMessagesBody } from './dto.js';
import { asMessages } from './other-shapes.js';
import type { ApiVersion } from './version.js';

type Fields = Readonly<Record<string, unknown>>;

export interface MessagesDialect {
  readonly version: ApiVersion;
  /** Headers for a provider of the same style. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether `max_tokens` is required: false when tokens are only counted. */
  readonly generates: boolean;
}

const messagesBody = new BodySchema(AnthropicMessagesBody);
const countTokensBody = new BodySchema(AnthropicCountTokensBody);

/** Checks the body of `POST /v1/messages`. @throws InvalidError naming every field that is wrong */
export function decodeMessages(sent: unknown, { version, headers, generates }: MessagesDialect): CompatibleRequest {
  const schema = generates ? messagesBody : countTokensBody;
  const refuse = (rules: Reader, fields: object) => refuseByVersion(rules, fields, version);
  const body = schema.checkedLoosely(asMessages(sent), refuse) as AnthropicMessagesBody;
  const reader = new DialectReader();
  refuse(reader, body);
  const common = commonOf(reader, body);
  const generation = generationOf(reader, body);
  reader.done();
  const own = { ...verbatim('anthropic', body, reader.only), headers };
  return { ...common, generation: { ...generation, verbatim: own }, names: namesOf(body) };
}

/** The values that the body requests, by the fields that it used. */
const namesOf = ({ thinking, output_config: config }: AnthropicMessagesBody): FieldNames => ({
  ...{ stop: 'stop_sequences', parallelToolCalls: 'tool_choice.disable_parallel_tool_use' },
  responseFormat: isPresent(config?.format) ? 'output_config.format' : 'output_format',
  thinking: isPresent(thinking) ? 'thinking' : 'output_config.effort',
});

/** @param given a body of any kind */
function refuseByVersion(reader: Reader, given: object, version: ApiVersion): void {
  const body = given as Fields;
  refuseSchemaOfNoHead(reader, body['schema']);
  if (version !== '2026-10-21') return;
  // Version 2026-10-21 has no sampling parameters.
  for (const field of ['temperature', 'top_p', 'top_k'])
    if (isPresent(body[field]))
      reader.refuse([field], 'is not part of version 2026-10-21; leave it out, or ask for 2023-06-01', 'not_allowed');
}

function generationOf(reader: DialectReader, body: AnthropicMessagesBody): GenerationRequest {
  const { max_tokens: maxTokens, temperature, top_p: topP, top_k: topK, metadata } = body;
  const messages = messagesOf(reader, body.messages);
  const system = systemOf(reader, body.system);
  // A limit of 0 fills a provider's cache and generates nothing, which no other style can do.
  if (maxTokens === 0) reader.carry(maxTokens, ['max_tokens']);
  const stop = stopsOf(body.stop_sequences);
  const { responseFormat, effort } = outputOf(reader, body);
  const thinking = thinkingOf(reader, body.thinking, effort);
  carryRest(reader, body as object as Fields);
  if (metadata) reader.carryOthers(metadata, METADATA, ['metadata']);
  return {
    messages: system ? [system, ...messages] : messages,
    ...(isPresent(maxTokens) && { maxTokens }),
    ...(isPresent(temperature) && { temperature }),
    ...(isPresent(topP) && { topP }),
    ...(isPresent(topK) && { topK }),
    ...(stop && { stop }),
    ...toolsOf(reader, body.tools),
    ...toolChoiceOf(reader, body.tool_choice),
    ...(thinking && { thinking }),
    ...(responseFormat && { responseFormat }),
    ...(isPresent(metadata?.user_id) && { endUser: metadata.user_id }),
    ...unknownFields(body, KNOWN),
  };
}

const METADATA: ReadonlySet<string> = new Set(['user_id']);

/**
 * Fields that are translated for every provider, or are for this installation. A `cache_control` of the whole request is a hint.
 */
const TRANSLATED = [
  ...['model', 'messages', 'system', 'max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences'],
  ...['tools', 'tool_choice', 'thinking', 'output_config', 'output_format', 'metadata', 'cache_control'],
  ...EXTENSIONS,
] as const;

/**
 * Fields of other dialects that would cost more than this request, or be answered in a way that messages do not
 * support.
 */
const NOT_HERE = [
  ...['n', 'best_of', 'max_completion_tokens', 'max_output_tokens', 'logprobs', 'top_logprobs'],
  ...['functions', 'function_call', 'modalities', 'audio', 'prompt', 'input'],
] as const;

/** Values of such fields that ask for the default. */
const USUAL: Readonly<Record<string, unknown>> = { service_tier: 'auto', speed: 'standard', n: 1, best_of: 1 };

const CARRIED = [...Object.keys(ONLY_ANTHROPIC), 'fallbacks', ...NOT_HERE];
const KNOWN: ReadonlySet<string> = new Set([...TRANSLATED, ...CARRIED]);

function carryRest(reader: DialectReader, { container, ...fields }: Fields): void {
  // The container that earlier code of this conversation ran in: the model goes on without it.
  reader.carryOthers(isRecord(container) ? container : { id: container }, new Set(), ['container']);
  for (const name of CARRIED) if (fields[name] !== USUAL[name]) reader.carry(fields[name], [name]);
}
