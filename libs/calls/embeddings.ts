import type { JsonObject } from '#domain/json.js';

/** A text, or its token ids in the encoding of the client (LangChain sends them). */
export type EmbedderInput = string | readonly number[];

/** A checked request for vectors of texts. */
export interface EmbedderRequest<Input extends EmbedderInput = EmbedderInput> {
  readonly modelId: string;
  readonly inputs: readonly Input[];
  /** Whether the texts came as a list: errors then name the index. */
  readonly isBatch: boolean;
  /** null: as many as the model has. */
  readonly dimensions: number | null;
  readonly store: boolean;
  readonly projectId: string | null;
  /** Encoding that the caller, and so the provider, uses. */
  readonly encodingFormat: 'float' | 'base64';
  /** The caller's own user, for the provider's abuse checks. */
  readonly endUser: string | null;
  /** Fields that this installation does not know, as they were sent. */
  readonly unknownFields: JsonObject;
}

/** Vectors as their backend has them: numbers, or little-endian 32-bit floats in base64. */
export type Vectors =
  | { readonly kind: 'numbers'; readonly each: readonly (readonly number[] | Float32Array)[] }
  | { readonly kind: 'base64'; readonly each: readonly string[] };

export interface EmbeddedTexts {
  readonly inferenceId: string;
  readonly vectors: Vectors;
  readonly inputTokens: number;
}

/** The output shown in the history. The vectors are left out: they are large, and the same input gives them again. */
export const recordedEmbeddings = (count: number, dimensions: number): JsonObject => ({
  embeddings: count,
  dimensions,
});
