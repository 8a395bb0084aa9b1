import type { EmbeddedTexts, Embedder } from '../../embedder.js';
import { DIMENSIONS, normalize } from './projection.js';
import { TextVectors } from './text-vectors.js';

/** The built-in embedder. Deterministic: the same text gives the same vector in every process. */
export function createEmbedder(mostTokens: number): Embedder {
  const texts = new TextVectors();
  return {
    dimensions: DIMENSIONS,
    embed(inputs, dimensions): EmbeddedTexts {
      const vectors = new Float32Array(inputs.length * dimensions);
      const inputTokens = inputs.map((input, index) => {
        const { vector, tokens } = texts.of(input, mostTokens);
        const kept = vector.subarray(0, dimensions);
        // Rare as it is, the first dimensions may all be 0.
        if (!normalize(kept)) kept[0] = 1;
        vectors.set(kept, index * dimensions);
        return tokens > mostTokens ? null : tokens;
      });
      return { vectors, inputTokens };
    },
  };
}
