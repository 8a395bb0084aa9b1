import type { EmbeddedTexts, Embedder } from '../embedder.js';
import type { Steps } from '../steps.js';
import { MAX_PACK_TOKENS } from '#models/packs/index.js';
import type { PackEncoder } from './pack-encoder.js';
import { scaled } from './vectors.js';

/**
 * A pack's vectors of texts. The same text gives the same vector on one kind of processor, whatever else is requested
 * with it.
 */
export function createPackEmbedder(encoder: PackEncoder, all: number): Embedder {
  function* embed(texts: readonly string[], dimensions: number): Steps<EmbeddedTexts> {
    const vectors = new Float32Array(texts.length * dimensions);
    const inputTokens: (number | null)[] = [];
    for (const [index, text] of texts.entries()) {
      const ids = encoder.tokens(text);
      const reads = ids.length <= MAX_PACK_TOKENS;
      if (reads) vectors.set(scaled(encoder.sentence(ids).subarray(0, dimensions)), index * dimensions);
      inputTokens.push(reads ? ids.length : null);
      yield;
    }
    return { vectors, inputTokens };
  }
  return { dimensions: all, embed };
}
