import type { JsonObject } from '#domain/json.js';

/** A checked request to `POST /v1/embeddings`. */
export interface EmbeddingsRequest {
  readonly modelId: string;
  readonly inputs: readonly string[];
  /** It came as a list: what is wrong with one of its texts is told by its place. */
  readonly isBatch: boolean;
  readonly encodingFormat: EncodingFormat;
  /** null: as many as the model has. */
  readonly dimensions: number | null;
  /** The caller's own user, for the provider's abuse checks. */
  readonly endUser: string | null;
  readonly store: boolean;
  readonly projectId: string | null;
  /** Fields that this installation does not know, as they were sent. */
  readonly unknownFields: JsonObject;
}

export const ENCODING_FORMATS = ['float', 'base64'] as const;
export type EncodingFormat = (typeof ENCODING_FORMATS)[number];
