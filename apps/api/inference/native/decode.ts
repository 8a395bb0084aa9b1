import { decodeSchema } from './decode-schema.js';
import { isRecord, kindOf, Reader } from './reader.js';
import type { NativeRequest } from './request.js';

/** Texts in one call. More of them are more calls: one call must not hold the engine for long. */
export const MOST_TEXTS = 1_000;
const DEFAULT_THRESHOLD = 0.5;

/**
 * Checks the body of `POST /inference` for an encoder. By hand rather than by DTO: this is the hot path (DTO classes
 * describe it in OpenAPI, and a test holds the two together). Unknown fields are ignored.
 * @throws InvalidError naming every field that is wrong, and how to mend it
 */
export function decodeNativeRequest(body: unknown): NativeRequest {
  const reader = new Reader();
  if (!isRecord(body)) {
    if (body === undefined) reader.refuse([], 'is required: send a JSON object', 'missing');
    else reader.refuse([], `must be a JSON object, not ${kindOf(body)}`, 'wrong_type');
    reader.done();
    return undefined as never;
  }
  if (body['stream'] === true)
    reader.refuse(
      ['stream'],
      'is not supported here; use /v1/chat/completions or /v1/messages to stream',
      'not_allowed',
    );
  const isWarmup = reader.boolean(body['is_warmup'], ['is_warmup'], false);
  const request: NativeRequest = {
    modelId: reader.string(body['model_id'], ['model_id'], 'a model id from /base-models or the id of a training job'),
    texts: body['messages'] === undefined ? readTexts(reader, body['text'], isWarmup) : readMessages(reader, body),
    batch: Array.isArray(body['text']),
    schema: decodeSchema(reader, body['schema']),
    threshold: reader.number(body['threshold'], ['threshold'], [0, 1]) ?? DEFAULT_THRESHOLD,
    store: reader.boolean(body['store'], ['store'], true),
    projectId: reader.optionalString(body['project_id'], ['project_id']) ?? null,
    includeConfidence: reader.boolean(body['include_confidence'], ['include_confidence'], true),
    includeSpans: reader.boolean(body['include_spans'], ['include_spans'], true),
    isWarmup,
  };
  reader.done();
  return request;
}

function readTexts(reader: Reader, text: unknown, isWarmup: boolean): readonly string[] {
  if (typeof text === 'string') return [text];
  if (!Array.isArray(text)) {
    if (text === undefined && !isWarmup)
      reader.refuse(['text'], 'is required: a string or a list of strings', 'missing');
    else if (text !== undefined)
      reader.refuse(['text'], `must be a string or a list of strings, not ${kindOf(text)}`, 'wrong_type');
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

/** `messages` asks for a decoder, and the engines here serve encoders only. */
function readMessages(reader: Reader, body: Readonly<Record<string, unknown>>): readonly string[] {
  const messages = body['messages'];
  if (!Array.isArray(messages))
    reader.refuse(['messages'], `must be a list of {role, content}, not ${kindOf(messages)}`, 'wrong_type');
  else
    reader.refuse(['messages'], 'is for decoder models; send `text` and `schema` to this encoder model', 'not_allowed');
  return [];
}
