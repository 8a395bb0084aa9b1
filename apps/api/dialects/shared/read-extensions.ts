import { DEFAULT_THRESHOLD } from '../native/decode.js';
import { decodeSchema } from '../native/decode-schema.js';
import type { Reader } from '../../validation/reader.js';
import type { CompatibleRequest } from './request.js';

type Body = Readonly<Record<string, unknown>>;

/** Fields of this installation in the bodies of all chat-shaped routes: nothing of them goes to a provider. */
export const EXTENSIONS = [
  'schema',
  'threshold',
  'include_confidence',
  'include_spans',
  'store',
  'project_id',
] as const;

const OF_ENCODERS = ['schema', 'threshold', 'include_confidence', 'include_spans'] as const;

/** What every dialect has in common. */
export function readCommon(reader: Reader, body: Body): Omit<CompatibleRequest, 'generation'> {
  return {
    modelId: reader.string(body['model'], ['model'], 'a model id from /v1/models or the id of a training job'),
    stream: reader.boolean(body['stream'], ['stream'], false),
    store: reader.boolean(body['store'], ['store'], true),
    projectId: reader.optionalString(body['project_id'], ['project_id']) ?? null,
    encoder: {
      asked: OF_ENCODERS.filter((name) => body[name] !== undefined && body[name] !== null),
      schema: decodeSchema(reader, body['schema']),
      threshold: reader.number(body['threshold'], ['threshold'], [0, 1]) ?? DEFAULT_THRESHOLD,
      includeConfidence: reader.boolean(body['include_confidence'], ['include_confidence'], true),
      includeSpans: reader.boolean(body['include_spans'], ['include_spans'], true),
    },
  };
}
