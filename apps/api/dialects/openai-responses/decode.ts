import type { JsonObject } from '#domain/json.js';
import { FOREIGN_ITEM, INCLUDED, NOT_THERE } from '#calls/hosted/fields/openai-responses.js';
import type { GenerationRequest } from '#calls/hosted/port.js';
import { BodySchema } from '../../edge/validation/body-schema.js';
import { kindOf, Reader } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { refuseSchemaOfNoHead } from '#calls/schema/decode.js';
import { unknownFields, verbatim } from '../shared/caller-body.js';
import { DialectReader } from '../shared/dialect-reader.js';
import type { FieldNames } from '#calls/field-names.js';
import { commonOf, readSchema } from '../shared/read-extensions.js';
import { ResponsesBody } from './dto.js';
import { asResponse } from './other-shapes.js';
import { inputOf } from './read-input.js';
import { nativeSchemaIn, textOf } from './read-text.js';
import { choiceOf } from './read-tool-choice.js';
import { readTools, type ReadTools } from './read-tools.js';
import type { ResponsesRequest } from './request.js';

type Fields = Readonly<Record<string, unknown>>;

const NAMES: FieldNames = {
  maxTokens: 'max_output_tokens',
  responseFormat: 'text.format',
  logprobs: 'top_logprobs',
  thinking: 'reasoning',
  messages: 'input',
};

const responsesBody = new BodySchema(ResponsesBody);

/** Checks the body of `POST /v1/responses`. @throws InvalidError naming every field that is wrong */
export function decodeResponses(given: unknown): ResponsesRequest {
  const body = responsesBody.checkedLoosely(asResponse(given), refuseByHand);
  const reader = new DialectReader();
  refuseByHand(reader, body);
  const tools = readTools(reader, body.tools, body.input);
  const generation = generationOf(reader, body, tools);
  const read = {
    ...withNativeSchema(reader, body),
    called: tools.called,
    earlierInputs: [],
    input: inputOf(reader, body.input),
    instructions: body.instructions ?? null,
    previousResponseId: body.previous_response_id ?? null,
  };
  carryRest(reader, body);
  reader.done();
  const carried = verbatim('openai-responses', body, reader.only);
  return {
    ...read,
    generation: { ...generation, verbatim: carried },
    names: NAMES,
    body: body as object as JsonObject,
  };
}

/** Reads an encoder's schema from `text.format`, if present. */
function withNativeSchema(reader: DialectReader, body: ResponsesBody) {
  const common = commonOf(reader, body);
  const native = nativeSchemaIn(body.text);
  if (native === undefined) return common;
  const asked = [...common.encoder.asked, SCHEMA_IN_TEXT.join('.')];
  return { ...common, encoder: { ...common.encoder, schema: readSchema(reader, native), asked } };
}

const SCHEMA_IN_TEXT = ['text', 'format', 'schema'];

/** Decodes everything but the messages. */
function generationOf(reader: DialectReader, body: ResponsesBody, tools: ReadTools): GenerationRequest {
  const { max_output_tokens: maxTokens, temperature, top_p: topP, parallel_tool_calls: parallel, reasoning } = body;
  const { prompt_cache_key: key, prompt_cache_retention: retention, service_tier: tier } = body;
  const { presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty } = body;
  const top = body.top_logprobs ?? 0;
  const hasLogprobs = top > 0 || body.include?.includes('message.output_text.logprobs');
  const endUser = body.safety_identifier ?? body.user;
  return {
    messages: [],
    ...choiceOf(reader, body.tool_choice, tools),
    ...(isPresent(maxTokens) && { maxTokens }),
    ...(isPresent(temperature) && { temperature }),
    ...(isPresent(topP) && { topP }),
    ...(isPresent(presencePenalty) && { presencePenalty }),
    ...(isPresent(frequencyPenalty) && { frequencyPenalty }),
    ...(isPresent(parallel) && { parallelToolCalls: parallel }),
    ...(hasLogprobs && { logprobs: { top } }),
    ...textOf(reader, body.text),
    ...(isPresent(key) && { promptCacheKey: key }),
    ...(isPresent(retention) && { promptCacheRetention: retention }),
    ...(isPresent(tier) && { serviceTier: tier }),
    // Thoughts are shown whenever a model returns them, whatever summary was requested.
    ...(isPresent(reasoning?.effort) && { thinking: { effort: reasoning.effort } }),
    ...(isPresent(endUser) && { endUser }),
    ...unknownFields(body, { has: (name) => responsesBody.fields.has(name) || NOT_PASSED_ON.has(name) }),
  };
}

const REASONING = new Set(['effort', 'summary', 'generate_summary', 'context', 'mode']);

/** Collects the fields that only a provider of the same style can honour. */
function carryRest(reader: DialectReader, { reasoning, stream_options: options, ...body }: ResponsesBody): void {
  for (const name of Object.keys(NOT_THERE)) reader.carry((body as Fields)[name], [name]);
  for (const name of body.include ?? []) if (!INCLUDED.has(name)) reader.carry(true, ['include', name]);
  if (body.truncation === 'auto') reader.carry(body.truncation, ['truncation']);
  if (reasoning) {
    const { context, mode } = reasoning;
    if (context !== 'auto') reader.carry(context, ['reasoning', 'context']);
    if (mode !== 'standard') reader.carry(mode, ['reasoning', 'mode']);
    reader.carryOthers(reasoning, REASONING, ['reasoning']);
  }
  if (!options) return;
  const { include_obfuscation: obfuscation, ...others } = options;
  if (obfuscation !== false) reader.carry(obfuscation, ['stream_options', 'include_obfuscation']);
  reader.carryOthers(others, new Set(), ['stream_options']);
}

/** @param given a body of any kind */
function refuseByHand(reader: Reader, given: object): void {
  const body = given as Fields;
  refuseFieldsOfChat(reader, body);
  refuseSchemaOfNoHead(reader, body['schema']);
  refuseSecondSchema(reader, body);
  refuseLongNames(reader, body['metadata']);
  const { input } = body;
  refuseUnknownItems(reader, input);
  if (isPresent(body['previous_response_id'])) return;
  if (!isPresent(input)) reader.refuse(['input'], 'is required and must be a string or a list of items', 'missing');
  else if (Array.isArray(input) && input.length === 0)
    reader.refuse(['input'], 'must hold at least one item', 'out_of_range');
}

/** The schema would name the types of the nearest kind of item alone. */
function refuseUnknownItems(reader: Reader, input: unknown): void {
  if (!Array.isArray(input)) return;
  for (const [index, item] of (input as readonly unknown[]).entries()) {
    if (reader.isFull) return;
    const path = ['input', index];
    if (!isRecord(item)) {
      reader.refuse(path, `must be an item: an object, not ${kindOf(item)}`, 'wrong_type');
      continue;
    }
    const { type } = item;
    if (typeof type !== 'string' || ITEM_TYPES.has(type) || IS_FOREIGN.test(type)) continue;
    const told = `must be one of ${[...ITEM_TYPES].join(', ')}, or a call of another tool or its output, not ${JSON.stringify(type.slice(0, MAX_NAME_LENGTH))}`;
    reader.refuse([...path, 'type'], told, 'not_allowed');
  }
}

const ITEM_TYPES: ReadonlySet<string> = new Set([
  ...['message', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output', 'reasoning'],
  ...['additional_tools', 'compaction', 'item_reference'],
]);
const IS_FOREIGN = new RegExp(FOREIGN_ITEM);

/** Reports a second encoder schema in `text.format`, at its own path. */
function refuseSecondSchema(reader: Reader, { schema, text }: Fields): void {
  const native = nativeSchemaIn(text);
  if (native === undefined) return;
  if (isPresent(schema)) reader.refuse(SCHEMA_IN_TEXT, 'is given twice: here, and as `schema`', 'not_allowed');
  const there = new Reader();
  readSchema(there, native);
  for (const { path, message, type } of there.problems)
    reader.refuse(['text', 'format', ...path.slice(1)], message, type);
}

const MAX_NAME_LENGTH = 64;

function refuseLongNames(reader: Reader, metadata: unknown): void {
  if (!isRecord(metadata)) return;
  for (const name of Object.keys(metadata))
    if (name.length > MAX_NAME_LENGTH)
      reader.refuse(
        ['metadata', name.slice(0, MAX_NAME_LENGTH)],
        `must have a name of at most ${MAX_NAME_LENGTH} characters`,
        'out_of_range',
      );
}

/** Fields of chat completions, which would be passed on as unknown and be ignored or misread. */
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

function refuseFieldsOfChat(reader: Reader, fields: Fields): void {
  for (const [name, here] of Object.entries(OF_CHAT))
    if (isPresent(fields[name]) && fields[name] !== false)
      reader.refuse([name], `belongs to chat completions; send ${here}`, 'not_allowed');
  if (isPresent(fields['n']) && fields['n'] !== 1)
    reader.refuse(['n'], 'belongs to chat completions; a response has one answer', 'not_allowed');
}

const NOT_PASSED_ON: ReadonlySet<string> = new Set([...Object.keys(NOT_THERE), ...Object.keys(OF_CHAT), 'n']);
