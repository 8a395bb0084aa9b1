import type { JsonObject } from '#domain/json.js';
import { bodyOf } from '../../inference/native/decode.js';
import { readGeneration } from '../../inference/native/decode-messages.js';
import { isRecord, Reader } from '../../validation/reader.js';
import { EXTENSIONS, readCommon } from '../core/read-extensions.js';
import type { CompatibleRequest } from '../core/request.js';

export interface ChatRequest extends CompatibleRequest {
  readonly includeUsage: boolean;
}

/** Checks the body of `POST /v1/chat/completions`. @throws InvalidError naming every field that is wrong */
export function decodeChat(body: unknown): ChatRequest {
  const reader = new Reader();
  const fields = bodyOf(reader, body);
  const options = fields['stream_options'];
  const request = {
    ...readCommon(reader, fields),
    generation: {
      ...readGeneration(reader, fields),
      verbatim: { style: 'openai', body: withoutExtensions(fields as JsonObject) },
    } as const,
    includeUsage: isRecord(options) && options['include_usage'] === true,
  };
  reader.done();
  return request;
}

const withoutExtensions = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !(EXTENSIONS as readonly string[]).includes(name)));
