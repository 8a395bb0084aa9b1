import { EFFORTS, type GenerationRequest } from '#hosted-models/port.js';
import { bodyOf } from '../native/decode.js';
import { unknownFields, verbatim } from '../shared/caller-body.js';
import { DialectReader, isPresent } from '../shared/dialect-reader.js';
import { EXTENSIONS, readCommon } from '../shared/read-extensions.js';
import type { CompatibleRequest } from '../shared/request.js';
import { readMessages } from './decode-messages.js';
import { readChatLogprobs, readMaxTokens, readSampling } from './decode-sampling.js';
import { readResponseFormat, readTools } from './decode-tools.js';

export interface ChatRequest extends CompatibleRequest {
  /** The stream ends with a chunk that says the usage. */
  readonly includeUsage: boolean;
  /** It speaks of `functions`, as before tools: so does the answer. */
  readonly hasFunctions: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** What every provider is told in its own words, or what is for this installation. */
const TRANSLATED = [
  ...['model', 'messages', 'stream', 'stream_options', 'metadata'],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop', 'seed', 'n', 'logprobs', 'top_logprobs'],
  ...['frequency_penalty', 'presence_penalty', 'logit_bias', 'user', 'safety_identifier', 'reasoning_effort'],
  ...['response_format', 'tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'],
  ...EXTENSIONS,
] as const;

/** Fields of the OpenAI API that nothing but a provider of its style can honour. */
const ONLY_OPENAI = [
  ...['audio', 'modalities', 'moderation', 'prediction', 'prompt_cache_key', 'prompt_cache_options'],
  ...['prompt_cache_retention', 'service_tier', 'verbosity', 'web_search_options'],
] as const;

/** Answers are stored here, and so are their labels. */
const KEPT_HERE = ['metadata'];

const KNOWN: ReadonlySet<string> = new Set([...TRANSLATED, ...ONLY_OPENAI]);

/** Checks the body of `POST /v1/chat/completions`. @throws InvalidError naming every field that is wrong */
export function decodeChat(body: unknown): ChatRequest {
  const reader = new DialectReader();
  const fields = bodyOf(reader, body);
  const common = readCommon(reader, fields);
  const { names, ...limit } = readMaxTokens(reader, fields);
  const generation: GenerationRequest = {
    messages: readMessages(reader, fields['messages']),
    ...limit,
    ...readSampling(reader, fields),
    ...readChatLogprobs(reader, fields),
    ...readEndUser(reader, fields),
    ...readEffort(reader, fields),
    ...readResponseFormat(reader, fields['response_format']),
    ...readTools(reader, fields),
    ...unknownFields(fields, KNOWN),
  };
  readMetadata(reader, fields['metadata']);
  const includeUsage = readStreamOptions(reader, fields['stream_options']);
  for (const name of ONLY_OPENAI) if (hasEffect(name, fields[name])) reader.only.push(name);
  reader.done();
  return {
    ...common,
    generation: { ...generation, verbatim: verbatim('openai', fields, reader.only, KEPT_HERE) },
    includeUsage,
    hasFunctions: isPresent(fields['functions']),
    ...(names && { names }),
  };
}

/** What every model does anyway needs nobody to carry it. An empty object can mean much: `web_search_options` turns the search on. */
function hasEffect(name: (typeof ONLY_OPENAI)[number], value: unknown): boolean {
  if (name === 'service_tier' && value === 'auto') return false;
  if (name === 'modalities' && Array.isArray(value) && value.every((modality) => modality === 'text')) return false;
  return isPresent(value);
}

/** The newer name of `user`; both, where they differ, mean something to OpenAI alone. */
function readEndUser(reader: DialectReader, fields: Body): Pick<GenerationRequest, 'endUser'> {
  const user = reader.optionalString(fields['user'], ['user']);
  const identifier = reader.optionalString(fields['safety_identifier'], ['safety_identifier']);
  if (user !== undefined && identifier !== undefined && user !== identifier) reader.only.push('safety_identifier');
  const endUser = user ?? identifier;
  return endUser === undefined ? {} : { endUser };
}

function readEffort(reader: DialectReader, fields: Body): Pick<GenerationRequest, 'thinking'> {
  const effort = reader.oneOf(fields['reasoning_effort'], ['reasoning_effort'], EFFORTS);
  return effort === undefined ? {} : { thinking: { effort } };
}

export const MOST_METADATA = 16;

/** Labels of the stored completion, which the history shows: pairs of strings. */
function readMetadata(reader: DialectReader, value: unknown): void {
  if (!isPresent(value)) return;
  const pairs = Object.entries(reader.record(value, ['metadata'], 'a map of strings'));
  if (pairs.length > MOST_METADATA)
    reader.refuse(['metadata'], `must hold at most ${MOST_METADATA} pairs, not ${pairs.length}`, 'out_of_range');
  for (const [name, text] of pairs.slice(0, MOST_METADATA)) reader.text(text, ['metadata', name]);
}

const STREAM_OPTIONS = new Set(['include_usage', 'include_obfuscation']);

/** @returns whether the stream is to say its usage */
export function readStreamOptions(reader: DialectReader, value: unknown): boolean {
  if (!isPresent(value)) return false;
  const options = reader.record(value, ['stream_options'], 'an object');
  reader.carryOthers(options, STREAM_OPTIONS, ['stream_options']);
  const path = ['stream_options', 'include_obfuscation'];
  if (reader.boolean(options['include_obfuscation'], path, false))
    reader.refuse(path, 'must not be true: chunks are not padded here', 'not_allowed');
  return reader.boolean(options['include_usage'], ['stream_options', 'include_usage'], false);
}
