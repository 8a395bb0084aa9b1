import type { EmbedderRequest } from '#calls/embeddings.js';

/** A checked request to `POST /v1/embeddings`. */
export type EmbeddingsRequest = EmbedderRequest;

export const ENCODING_FORMATS = ['float', 'base64'] as const;
export type EncodingFormat = EmbedderRequest['encodingFormat'];
