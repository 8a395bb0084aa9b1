import type { JsonObject } from '#domain/json.js';
import type { GenerationRequest } from '#hosted-models/port.js';
import { bodyOf } from '../../inference/native/decode.js';
import { DialectReader } from '../core/dialect-reader.js';
import { EXTENSIONS, readCommon } from '../core/read-extensions.js';
import type { CompatibleRequest } from '../core/request.js';
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
  const only = reader.only;
  const verbatim = { style: 'anthropic', body: withoutExtensions(fields), only, headers: dialect.headers } as const;
  return { ...common, generation: { ...generation, verbatim }, names: NAMES };
}

const NAMES = { stop: 'stop_sequences', responseFormat: 'output_config', thinking: 'thinking' } as const;

function readGeneration(reader: DialectReader, body: Fields, { version, generates }: Dialect): GenerationRequest {
  const messages = readMessages(reader, body['messages']);
  const system = readSystem(reader, body['system']);
  const maxTokens = readMaxTokens(reader, body['max_tokens'], generates);
  const stop = readStop(reader, body['stop_sequences']);
  const { responseFormat, effort } = readOutput(reader, body);
  const thinking = readThinking(reader, body['thinking'], effort);
  const unknownFields = readOthers(reader, body);
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
    ...(unknownFields && { unknownFields }),
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

function readMetadata(reader: DialectReader, value: unknown): Pick<GenerationRequest, 'endUser'> {
  if (value === undefined || value === null) return {};
  const metadata = reader.record(value, ['metadata'], 'an object with user_id');
  reader.carryOthers(metadata, new Set(['user_id']), ['metadata']);
  const endUser = reader.optionalString(metadata['user_id'], ['metadata', 'user_id']);
  return endUser === undefined ? {} : { endUser };
}

/** Fields with a meaning of their own in the request. A `cache_control` for the whole of it is a wish: it is passed on, or does nothing. */
const KNOWN: ReadonlySet<string> = new Set([
  ...EXTENSIONS,
  ...['model', 'messages', 'system', 'max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences'],
  ...['tools', 'tool_choice', 'thinking', 'output_config', 'output_format', 'metadata', 'cache_control'],
]);

/** Fields of this style that no other has; with the value that asks for nothing, where there is one. */
const ONLY: ReadonlyMap<string, string | null> = new Map<string, string | null>([
  ['container', null],
  ['mcp_servers', null],
  ['context_management', null],
  ['diagnostics', null],
  ['inference_geo', null],
  ['fallbacks', null],
  ['fallback_credit_token', null],
  ['billing_policy', null],
  ['compaction', null],
  ['thread', null],
  ['service_tier', 'auto'],
  ['speed', 'standard'],
]);

/** @returns what is not known here at all */
function readOthers(reader: DialectReader, body: Fields): JsonObject | undefined {
  const unknown = Object.entries(body).filter(([name, value]) => {
    if (KNOWN.has(name)) return false;
    if (!ONLY.has(name)) return true;
    if (value !== ONLY.get(name)) reader.carry(value, [name]);
    return false;
  });
  return unknown.length > 0 ? (Object.fromEntries(unknown) as JsonObject) : undefined;
}

const withoutExtensions = (body: Fields): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !EXTENSION_NAMES.has(name))) as JsonObject;
const EXTENSION_NAMES: ReadonlySet<string> = new Set(EXTENSIONS);
