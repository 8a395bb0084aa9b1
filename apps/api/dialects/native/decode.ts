import { readGeneration } from './decode-messages.js';
import { decodeSchema } from './decode-schema.js';
import { isRecord, kindOf, Reader } from '../../validation/reader.js';
import type { DecoderRequest, EncoderRequest, NativeRequest } from '#calls/encoder-request.js';

/** Texts in one call. More of them are more calls: one call must not hold the engine for long. */
export const MOST_TEXTS = 1_000;
export const DEFAULT_THRESHOLD = 0.5;

type Body = Readonly<Record<string, unknown>>;

/**
 * Checks the body of `POST /inference`. By hand rather than by DTO: this is the hot path (DTO classes describe it in OpenAPI,
 * and a test holds the two together). Unknown fields are refused, and known ones that the kind of model cannot honour.
 * @throws InvalidError naming every field that is wrong, and how to mend it
 */
export function decodeNativeRequest(body: unknown): NativeRequest {
  const reader = new Reader();
  const fields = bodyOf(reader, body);
  if (fields['stream'] === true)
    reader.refuse(
      ['stream'],
      'is not supported here; use /v1/chat/completions, /v1/responses or /v1/messages to stream',
      'not_allowed',
    );
  reader.known(fields, FIELDS, []);
  const request = isPresent(fields['messages']) ? decoderRequest(reader, fields) : encoderRequest(reader, fields);
  reader.done();
  return request;
}

/** @throws InvalidError when it is no object */
export function bodyOf(reader: Reader, body: unknown): Body {
  if (isRecord(body)) return body;
  if (body === undefined) reader.refuse([], 'is required: send a JSON object', 'missing');
  else reader.refuse([], `must be a JSON object, not ${kindOf(body)}`, 'wrong_type');
  reader.done();
  return {};
}

function encoderRequest(reader: Reader, body: Body): EncoderRequest {
  if (body['task'] === 'generate') reader.refuse(['messages'], 'is required for the task generate', 'missing');
  refuseForeign(reader, body, DECODER_FIELDS, 'is for decoder models, which take `messages`');
  const isWarmup = reader.boolean(body['is_warmup'], ['is_warmup'], false);
  return {
    kind: 'encoder',
    modelId: readModelId(reader, body),
    texts: readTexts(reader, body['text'], isWarmup),
    textField: 'text',
    batch: Array.isArray(body['text']),
    schema: decodeSchema(reader, body['schema']),
    threshold: reader.number(body['threshold'], ['threshold'], [0, 1]) ?? DEFAULT_THRESHOLD,
    store: reader.boolean(body['store'], ['store'], true),
    projectId: reader.optionalString(body['project_id'], ['project_id']) ?? null,
    includeConfidence: reader.boolean(body['include_confidence'], ['include_confidence'], true),
    includeSpans: reader.boolean(body['include_spans'], ['include_spans'], true),
    isWarmup,
  };
}

function decoderRequest(reader: Reader, body: Body): DecoderRequest {
  reader.oneOf(body['task'], ['task'], ['generate']);
  refuseForeign(reader, body, ENCODER_FIELDS, 'is for encoder models; `messages` asks for a decoder');
  return {
    kind: 'decoder',
    modelId: readModelId(reader, body),
    generation: readGeneration(reader, body),
    store: reader.boolean(body['store'], ['store'], true),
    projectId: reader.optionalString(body['project_id'], ['project_id']) ?? null,
    isWarmup: reader.boolean(body['is_warmup'], ['is_warmup'], false),
  };
}

const OF_BOTH = [
  'model_id',
  'task',
  'store',
  'project_id',
  'include_confidence',
  'include_spans',
  'is_warmup',
  'stream',
];
export const DECODER_FIELDS = ['max_tokens', 'temperature', 'top_p', 'stop'] as const;
export const ENCODER_FIELDS = ['text', 'schema', 'threshold'] as const;
const FIELDS: ReadonlySet<string> = new Set([...OF_BOTH, 'messages', ...DECODER_FIELDS, ...ENCODER_FIELDS]);

function refuseForeign(reader: Reader, body: Body, fields: readonly string[], why: string): void {
  for (const field of fields) if (isPresent(body[field])) reader.refuse([field], why, 'not_allowed');
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const readModelId = (reader: Reader, body: Body): string =>
  reader.string(body['model_id'], ['model_id'], 'a model id from /base-models or the id of a training job');

/** @returns none where only a warm-up is asked for */
export function readTexts(reader: Reader, text: unknown, isWarmup: boolean): readonly string[] {
  if (typeof text === 'string') return [text];
  if (!Array.isArray(text)) {
    if (isPresent(text))
      reader.refuse(['text'], `must be a string or a list of strings, not ${kindOf(text)}`, 'wrong_type');
    else if (!isWarmup) reader.refuse(['text'], 'is required: a string or a list of strings', 'missing');
    return [];
  }
  if (text.length === 0) reader.refuse(['text'], 'must hold at least one string', 'out_of_range');
  if (text.length > MOST_TEXTS)
    reader.refuse(
      ['text'],
      `must hold at most ${MOST_TEXTS} strings, not ${text.length}; send several calls`,
      'out_of_range',
    );
  text.forEach((item: unknown, index) => {
    if (typeof item !== 'string') reader.refuse(['text', index], `must be a string, not ${kindOf(item)}`, 'wrong_type');
  });
  return text as readonly string[];
}
