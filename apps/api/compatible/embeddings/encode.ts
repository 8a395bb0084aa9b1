import { endianness } from 'node:os';
import type { EncodingFormat } from './request.js';

/** Vectors as they came: numbers, or little-endian 32-bit floats in base64. */
export type Vectors =
  | { readonly kind: 'numbers'; readonly each: readonly (readonly number[] | Float32Array)[] }
  | { readonly kind: 'base64'; readonly each: readonly string[] };

export interface EmbeddingsAnswer {
  readonly modelId: string;
  /** null where nothing was stored. */
  readonly inferenceId: string | null;
  readonly vectors: Vectors;
  readonly inputTokens: number;
}

/** A list of embeddings (https://platform.openai.com/docs/api-reference/embeddings/object). */
export function encodeEmbeddings(
  { modelId, inferenceId, vectors, inputTokens }: EmbeddingsAnswer,
  format: EncodingFormat,
) {
  return {
    object: 'list',
    data: embeddingsOf(vectors, format).map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: modelId,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
    x_pioneer: { inference_id: inferenceId },
  };
}

function embeddingsOf({ kind, each }: Vectors, format: EncodingFormat): readonly (readonly number[] | string)[] {
  if (format === 'base64') return kind === 'base64' ? each : each.map((vector) => toBase64(Float32Array.from(vector)));
  return kind === 'base64' ? each.map((text) => fromBase64(text)) : each.map((vector) => Array.from(vector));
}

function toBase64(vector: Float32Array): string {
  return inOrder(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)).toString('base64');
}

function fromBase64(text: string): number[] {
  const bytes = inOrder(Buffer.from(text, 'base64'));
  // A buffer may begin anywhere in its memory; floats may not.
  return Array.from(new Float32Array(new Uint8Array(bytes).buffer));
}

const inOrder = (bytes: Buffer): Buffer => (endianness() === 'LE' ? bytes : bytes.swap32());
