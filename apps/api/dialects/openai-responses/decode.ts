import type { JsonObject } from '#domain/json.js';
import { InvalidError } from '#domain/errors.js';
import { EFFORTS, type GenerationRequest, type Thinking } from '#hosted-models/port.js';
import { bodyOf } from '../native/decode.js';
import type { RequestedSchema } from '#calls/encoder-request.js';
import { decodeSchema } from '../native/decode-schema.js';
import { kindOf, Reader } from '../../validation/reader.js';
import { DialectReader } from '../shared/dialect-reader.js';
import { unknownFields, verbatim } from '../shared/caller-body.js';
import type { FieldNames } from '#calls/field-names.js';
import { EXTENSIONS, readCommon } from '../shared/read-extensions.js';
import { readInput } from './read-input.js';
import { readText, type AskedText } from './read-text.js';
import { readTools } from './read-tools.js';
import type { ResponsesRequest } from './request.js';

type Fields = Readonly<Record<string, unknown>>;

const MOST_TOKENS = 10_000_000;
const MOST_LOGPROBS = 20;

const NAMES: FieldNames = {
  maxTokens: 'max_output_tokens',
  responseFormat: 'text.format',
  logprobs: 'top_logprobs',
  thinking: 'reasoning',
  messages: 'input',
};

/** Checks the body of `POST /v1/responses`. @throws InvalidError naming every field that is wrong */
export function decodeResponses(body: unknown): ResponsesRequest {
  const reader = new DialectReader();
  const fields = bodyOf(reader, body);
  refuseFieldsOfChat(reader, fields);
  refuseWhatIsNotThere(reader, fields);
  const text = readText(reader, fields['text']);
  readMetadata(reader, fields['metadata']);
  const previousResponseId = reader.optionalString(fields['previous_response_id'], ['previous_response_id']) ?? null;
  const read = {
    ...readCommonOf(reader, fields, text),
    generation: readGeneration(reader, fields, text),
    input: readInput(reader, fields['input'], previousResponseId === null),
    instructions: readInstructions(reader, fields['instructions']),
    previousResponseId,
  };
  reader.done();
  const generation = { ...read.generation, verbatim: verbatim('openai-responses', fields, reader.only) };
  return { ...read, generation, names: NAMES, body: fields as JsonObject };
}

/** The schema of an encoder may stand in the format of the text. */
function readCommonOf(reader: DialectReader, fields: Fields, { nativeSchema }: AskedText) {
  const common = readCommon(reader, fields);
  if (nativeSchema === undefined) return common;
  const path = ['text', 'format', 'schema'];
  if (common.encoder.schema !== null) reader.refuse(path, 'is given twice: here, and as `schema`', 'not_allowed');
  const schema = readNativeSchema(reader, nativeSchema);
  return { ...common, encoder: { ...common.encoder, schema, asked: [...common.encoder.asked, path.join('.')] } };
}

/** What is wrong with it is told where it stands. */
function readNativeSchema(reader: DialectReader, value: unknown): RequestedSchema | null {
  const there = new Reader();
  const schema = decodeSchema(there, value);
  try {
    there.done();
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    for (const { path, message, type } of error.fields)
      reader.refuse(['text', 'format', ...path.slice(1)], message, type);
  }
  return schema;
}

/** All but its messages. */
function readGeneration(
  reader: DialectReader,
  fields: Fields,
  { responseFormat, verbosity }: AskedText,
): GenerationRequest {
  const maxTokens = reader.integer(fields['max_output_tokens'], ['max_output_tokens'], [1, MOST_TOKENS]);
  const temperature = reader.number(fields['temperature'], ['temperature'], [0, 2]);
  const topP = reader.number(fields['top_p'], ['top_p'], [0, 1]);
  const parallel = fields['parallel_tool_calls'] ?? undefined;
  const logprobs = readLogprobs(reader, fields);
  const thinking = readReasoning(reader, fields['reasoning']);
  const endUser = readEndUser(reader, fields);
  return {
    messages: [],
    ...readTools(reader, fields),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(parallel !== undefined && {
      parallelToolCalls: reader.boolean(parallel, ['parallel_tool_calls'], true),
    }),
    ...(logprobs !== undefined && { logprobs }),
    ...(responseFormat && { responseFormat }),
    ...(verbosity && { verbosity }),
    ...readOfProvider(reader, fields),
    ...(thinking && { thinking }),
    ...(endUser !== undefined && { endUser }),
    ...unknownFields(fields, KNOWN),
  };
}

const INCLUDABLE = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
] as const;

/** Log probabilities are asked for by `include`, or by how many. The others come with tools that no model here has, or always. */
function readLogprobs(reader: DialectReader, fields: Fields): GenerationRequest['logprobs'] {
  const included = reader.list(fields['include'], ['include'], 'names', 100) ?? [];
  const names = included.map((name, index) => {
    if (name === null) reader.refuse(['include', index], 'must be a name, not null', 'wrong_type');
    return reader.oneOf(name, ['include', index], INCLUDABLE);
  });
  const top = reader.integer(fields['top_logprobs'], ['top_logprobs'], [0, MOST_LOGPROBS]) ?? 0;
  return top > 0 || names.includes('message.output_text.logprobs') ? { top } : undefined;
}

const REASONING = new Set(['effort', 'summary', 'generate_summary']);
const SUMMARIES = ['auto', 'concise', 'detailed'] as const;

/** Thoughts are shown wherever a model gives them, however long a summary was asked for. */
function readReasoning(reader: DialectReader, value: unknown): Thinking | undefined {
  if (value === undefined || value === null) return undefined;
  const path = ['reasoning'];
  const { context, mode, ...fields } = reader.record(value, path, 'an object');
  if (context !== 'auto') reader.carry(context, [...path, 'context']);
  if (mode !== 'standard') reader.carry(mode, [...path, 'mode']);
  reader.carryOthers(fields, REASONING, path);
  for (const name of ['summary', 'generate_summary']) reader.oneOf(fields[name], [...path, name], SUMMARIES);
  const effort = reader.oneOf(fields['effort'], [...path, 'effort'], EFFORTS);
  return effort === undefined ? undefined : { effort };
}

function readEndUser(reader: DialectReader, fields: Fields): string | undefined {
  const [user, identifier] = ['user', 'safety_identifier'].map((name) => reader.optionalString(fields[name], [name]));
  return identifier ?? user;
}

/** What says something to the provider alone. */
function readOfProvider(reader: DialectReader, fields: Fields): Partial<GenerationRequest> {
  const [key, retention, tier] = (['prompt_cache_key', 'prompt_cache_retention', 'service_tier'] as const).map((name) =>
    reader.optionalString(fields[name], [name]),
  );
  return {
    ...(key !== undefined && { promptCacheKey: key }),
    ...(retention !== undefined && { promptCacheRetention: retention }),
    ...(tier !== undefined && { serviceTier: tier }),
  };
}

const MOST_PAIRS = 16;
const LONGEST = { key: 64, value: 512 };

function readMetadata(reader: DialectReader, value: unknown): void {
  if (value === undefined || value === null) return;
  const path = ['metadata'];
  const pairs = Object.entries(reader.record(value, path, 'an object of texts'));
  if (pairs.length > MOST_PAIRS)
    reader.refuse(path, `must hold at most ${MOST_PAIRS} pairs, not ${pairs.length}`, 'out_of_range');
  for (const [key, text] of pairs.slice(0, MOST_PAIRS)) {
    const at = [...path, key.slice(0, LONGEST.key)];
    if (key.length > LONGEST.key)
      reader.refuse(at, `must have a name of at most ${LONGEST.key} characters`, 'out_of_range');
    if (typeof text !== 'string') reader.refuse(at, `must be a text, not ${kindOf(text)}`, 'wrong_type');
    else if (text.length > LONGEST.value)
      reader.refuse(at, `must be at most ${LONGEST.value} characters long, not ${text.length}`, 'out_of_range');
  }
}

function readOptionalText(reader: DialectReader, value: unknown, name: string): string | null {
  return value === undefined || value === null ? null : reader.text(value, [name]);
}

/** What people know of chat completions: here it would be sent on as unknown, and mean nothing or something else. */
const OF_CHAT: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  logprobs: 'top_logprobs',
  functions: 'tools',
  function_call: 'tool_choice',
};

function refuseFieldsOfChat(reader: DialectReader, fields: Fields): void {
  for (const [name, here] of Object.entries(OF_CHAT))
    if (isGiven(fields[name])) reader.refuse([name], `is for chat completions; here it is ${here}`, 'not_allowed');
  if (isGiven(fields['n']) && fields['n'] !== 1)
    reader.refuse(['n'], 'is for chat completions; here there is one answer', 'not_allowed');
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Of the API, and of no model here. */
function refuseWhatIsNotThere(reader: DialectReader, fields: Fields): void {
  for (const name of NOT_THERE) reader.carry(fields[name], [name]);
  if (reader.boolean(fields['background'], ['background'], false))
    reader.refuse(['background'], 'cannot be true: answers are given at once, or as a stream', 'not_allowed');
  const truncation = reader.oneOf(fields['truncation'], ['truncation'], ['auto', 'disabled']);
  if (truncation === 'auto')
    reader.refuse(['truncation'], 'cannot be auto: nothing of an input is left out', 'not_allowed');
  // Those of tools that the API itself runs: there are none.
  reader.integer(fields['max_tool_calls'], ['max_tool_calls'], [1, MOST_TOKENS]);
  const options = fields['stream_options'];
  if (!isGiven(options)) return;
  const { include_obfuscation: obfuscation, ...rest } = reader.record(options, ['stream_options'], 'an object');
  if (obfuscation !== false) reader.carry(obfuscation, ['stream_options', 'include_obfuscation']);
  reader.carryOthers(rest, new Set(), ['stream_options']);
}

const NOT_THERE = [
  'access_programs',
  'context_management',
  'conversation',
  'image',
  'moderation',
  'prompt',
  'prompt_cache_options',
] as const;

const KNOWN: ReadonlySet<string> = new Set([
  ...EXTENSIONS,
  ...NOT_THERE,
  ...Object.keys(OF_CHAT),
  ...['n', 'background', 'include', 'input', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata'],
  ...['model', 'parallel_tool_calls', 'previous_response_id', 'prompt_cache_key', 'prompt_cache_retention'],
  ...['reasoning', 'safety_identifier', 'service_tier', 'stream'],
  ...['stream_options', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'truncation', 'user'],
]);

/** Answers, and several events of a stream, repeat them. In UTF-16 units. */
const MAX_INSTRUCTIONS = 1024 * 1024;

function readInstructions(reader: DialectReader, value: unknown): string | null {
  const instructions = readOptionalText(reader, value, 'instructions');
  if (instructions === null || instructions.length <= MAX_INSTRUCTIONS) return instructions;
  const problem = `must have at most ${MAX_INSTRUCTIONS} characters, not ${instructions.length}; send the rest in input`;
  reader.refuse(['instructions'], problem, 'out_of_range');
  return null;
}
