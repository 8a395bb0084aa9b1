import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { EmbedderRequest, Vectors } from '#calls/embeddings.js';
import { fromBase64, toBase64 } from '#primitives/vectors.js';

export interface EmbeddingsAnswer {
  readonly modelId: string;
  /** null if nothing was stored. */
  readonly inferenceId: string | null;
  readonly vectors: Vectors;
  readonly inputTokens: number;
}

type EncodingFormat = EmbedderRequest['encodingFormat'];

/** Vectors written in one turn, which takes a few milliseconds; then other requests get their turn. */
const VECTORS_A_PIECE = 16;

/** A list of embeddings (https://platform.openai.com/docs/api-reference/embeddings/object); the JSON of a long one in pieces. */
export function encodeEmbeddings(answer: EmbeddingsAnswer, format: EncodingFormat): object {
  const { modelId, inferenceId, vectors, inputTokens } = answer;
  const count = vectors.each.length;
  const rest = {
    model: modelId,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
    x_pioneer: { inference_id: inferenceId },
  };
  if (count <= VECTORS_A_PIECE) return { object: 'list', data: embeddings(vectors, format, 0, count), ...rest };
  return Readable.from(pieces(vectors, format, rest));
}

async function* pieces(vectors: Vectors, format: EncodingFormat, rest: object): AsyncGenerator<string> {
  const count = vectors.each.length;
  let separator = '{"object":"list","data":[';
  for (let at = 0; at < count; at += VECTORS_A_PIECE) {
    const some = JSON.stringify(embeddings(vectors, format, at, Math.min(at + VECTORS_A_PIECE, count)));
    yield separator + some.slice(1, -1);
    separator = ',';
    await turn();
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}

function embeddings(vectors: Vectors, format: EncodingFormat, from: number, to: number): object[] {
  return Array.from({ length: to - from }, (_, offset) => {
    const index = from + offset;
    return { object: 'embedding', index, embedding: embeddingOf(vectors, index, format) };
  });
}

function embeddingOf({ kind, each }: Vectors, index: number, format: EncodingFormat): readonly number[] | string {
  if (kind === 'base64') return format === 'base64' ? each[index]! : Array.from(fromBase64(each[index]!));
  return format === 'base64' ? toBase64(Float32Array.from(each[index]!)) : Array.from(each[index]!);
}
