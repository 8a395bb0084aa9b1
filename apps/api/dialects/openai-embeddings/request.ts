import type { EmbedderRequest } from '#calls/embeddings.js';
import type { JsonObject } from '#domain/json.js';

/** A checked request to `POST /v1/embeddings`. */
export interface EmbeddingsRequest extends EmbedderRequest {
  readonly encodingFormat: EncodingFormat;
  /** The caller's own user, for the provider's abuse checks. */
  readonly endUser: string | null;
  /** Fields that this installation does not know, as they were sent. */
  readonly unknownFields: JsonObject;
}

export const ENCODING_FORMATS = ['float', 'base64'] as const;
export type EncodingFormat = (typeof ENCODING_FORMATS)[number];
