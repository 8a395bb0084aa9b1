import type { GenerationRequest } from '#hosted-models/port.js';
import { bodyOf } from '../native/decode.js';
import { unknownFields, verbatim } from '../shared/caller-body.js';
import { DialectReader } from '../shared/dialect-reader.js';
import { EXTENSIONS, readCommon } from '../shared/read-extensions.js';
import type { CompatibleRequest } from '../shared/request.js';
import type { Fields } from './block-fields.js';
import { MOST_STOPS, MOST_TOKENS } from './bounds.js';
import { readMessages, readSystem } from './decode-messages.js';
import { readOutput, readThinking } from './decode-options.js';
import { readToolChoice, readTools } from './decode-tools.js';
import type { Version } from './version.js';

export interface Dialect {
  readonly version: Version;
  /** For a provider of the same style. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether `max_tokens` must be there: not where tokens are only counted. */
  readonly generates: boolean;
}

/** Checks the body of `POST /v1/messages`. @throws InvalidError naming every field that is wrong */
export function decodeMessages(body: unknown, dialect: Dialect): CompatibleRequest {
  const reader = new DialectReader();
  const fields = bodyOf(reader, body);
  const common = readCommon(reader, fields);
  const generation = readGeneration(reader, fields, dialect);
  reader.done();
  const own = { ...verbatim('anthropic', fields, reader.only), headers: dialect.headers };
  return { ...common, generation: { ...generation, verbatim: own }, names: NAMES };
}

const NAMES = { stop: 'stop_sequences', responseFormat: 'output_config', thinking: 'thinking' } as const;

function readGeneration(reader: DialectReader, body: Fields, { version, generates }: Dialect): GenerationRequest {
  const messages = readMessages(reader, body['messages']);
  const system = readSystem(reader, body['system']);
  const maxTokens = readMaxTokens(reader, body['max_tokens'], generates);
  const stop = readStop(reader, body['stop_sequences']);
  const { responseFormat, effort } = readOutput(reader, body);
  const thinking = readThinking(reader, body['thinking'], effort);
  carryRest(reader, body);
  return {
    messages: system ? [system, ...messages] : messages,
    ...(maxTokens !== undefined && { maxTokens }),
    ...readSampling(reader, body, version),
    ...(stop && { stop }),
    ...readTools(reader, body['tools']),
    ...readToolChoice(reader, body['tool_choice']),
    ...(thinking && { thinking }),
    ...(responseFormat && { responseFormat }),
    ...readMetadata(reader, body['metadata']),
    ...unknownFields(body, KNOWN),
  };
}

/** 0 fills a provider's cache and generates nothing: no other style has that. */
function readMaxTokens(reader: DialectReader, value: unknown, isRequired: boolean): number | undefined {
  if (isRequired && (value === undefined || value === null))
    reader.refuse(['max_tokens'], 'is required: the most output tokens', 'missing');
  const most = reader.integer(value, ['max_tokens'], [0, MOST_TOKENS]);
  if (most === 0) reader.carry(most, ['max_tokens']);
  return most;
}

/** Version 2026-10-21 has none of the three. */
function readSampling(reader: DialectReader, body: Fields, version: Version): Partial<GenerationRequest> {
  if (version === '2026-10-21')
    for (const field of ['temperature', 'top_p', 'top_k'])
      if (body[field] !== undefined && body[field] !== null)
        reader.refuse([field], 'is not part of version 2026-10-21; leave it out, or ask for 2023-06-01', 'not_allowed');
  const temperature = reader.number(body['temperature'], ['temperature'], [0, 1]);
  const topP = reader.number(body['top_p'], ['top_p'], [0, 1]);
  const topK = reader.integer(body['top_k'], ['top_k'], [0, MOST_TOKENS]);
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
  };
}

function readStop(reader: DialectReader, value: unknown): readonly string[] | undefined {
  const path = ['stop_sequences'];
  const stops = reader
    .list(value, path, 'texts', MOST_STOPS)
    ?.map((stop, index) => reader.string(stop, [...path, index], 'a text'));
  return stops && stops.length > 0 ? stops : undefined;
}

const METADATA: ReadonlySet<string> = new Set(['user_id']);

function readMetadata(reader: DialectReader, value: unknown): Pick<GenerationRequest, 'endUser'> {
  if (value === undefined || value === null) return {};
  const metadata = reader.record(value, ['metadata'], 'an object with user_id');
  reader.carryOthers(metadata, METADATA, ['metadata']);
  const endUser = reader.optionalString(metadata['user_id'], ['metadata', 'user_id']);
  return endUser === undefined ? {} : { endUser };
}

/** What every provider is told in its own words, or what is for this installation; a `cache_control` for all of it is a wish. */
const TRANSLATED = [
  ...['model', 'messages', 'system', 'max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences'],
  ...['tools', 'tool_choice', 'thinking', 'output_config', 'output_format', 'metadata', 'cache_control'],
  ...EXTENSIONS,
] as const;

/** Fields of this style that no other has. */
const ONLY_ANTHROPIC = [
  ...['billing_policy', 'compaction', 'container', 'context_management', 'diagnostics', 'fallback_credit_token'],
  ...['fallbacks', 'inference_geo', 'mcp_servers', 'service_tier', 'speed', 'thread'],
] as const;

/** Fields of other dialects that would cost more than is asked for here, or be answered in a way that messages do not have. */
const NOT_HERE = [
  ...['n', 'best_of', 'max_completion_tokens', 'max_output_tokens', 'logprobs', 'top_logprobs'],
  ...['functions', 'function_call', 'modalities', 'audio', 'prompt', 'input'],
] as const;

/** Those that ask for what is done anyway. */
const USUAL: Readonly<Record<string, unknown>> = { service_tier: 'auto', speed: 'standard', n: 1, best_of: 1 };

const CARRIED = [...ONLY_ANTHROPIC, ...NOT_HERE];
const KNOWN: ReadonlySet<string> = new Set([...TRANSLATED, ...CARRIED]);

function carryRest(reader: DialectReader, body: Fields): void {
  for (const name of CARRIED) if (body[name] !== USUAL[name]) reader.carry(body[name], [name]);
}
