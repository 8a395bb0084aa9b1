import { InvalidError } from '#domain/errors.js';
import { decodeSchema, refuseSchemaOfNoHead } from '#calls/schema/decode.js';
import type { RequestedSchema } from '#calls/encoder-request.js';
import { BodySchema } from '../../edge/validation/body-schema.js';
import type { Reader } from '#primitives/reader.js';
import { EncoderExtensions } from './extensions-dto.js';
import type { CompatibleRequest } from './request.js';

/** Fields of this installation in all chat-shaped bodies; none of them goes to a provider. */
export const EXTENSIONS = [
  'schema',
  'threshold',
  'include_confidence',
  'include_spans',
  'store',
  'project_id',
] as const;

const OF_ENCODERS = ['schema', 'threshold', 'include_confidence', 'include_spans'] as const;

type CommonBody = EncoderExtensions & { readonly model: string; readonly stream?: boolean | null };

/** Decodes the fields common to all dialects. */
export function commonOf(reader: Reader, body: CommonBody): Omit<CompatibleRequest, 'generation'> {
  return {
    modelId: body.model,
    stream: body.stream ?? false,
    store: body.store ?? true,
    projectId: body.project_id ?? null,
    encoder: {
      asked: OF_ENCODERS.filter((name) => body[name] !== undefined && body[name] !== null),
      schema: decodeSchema(reader, body.schema),
      threshold: body.threshold ?? null,
      includeConfidence: body.include_confidence ?? true,
      includeSpans: body.include_spans ?? true,
    },
  };
}

const extensions = new BodySchema(EncoderExtensions);

/** The requested schema; null if it is absent or invalid. */
export function readSchema(reader: Reader, given: unknown): RequestedSchema | null {
  refuseSchemaOfNoHead(reader, given);
  try {
    return decodeSchema(reader, extensions.checked({ schema: given }).schema);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    for (const { path, message, type } of error.fields) reader.refuse(path.slice(1), message, type);
    return null;
  }
}
