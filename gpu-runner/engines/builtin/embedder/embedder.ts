import type { Steps } from '../../steps.js';
import type { EmbeddedTexts, Embedder } from '../../embedder.js';
import { DIMENSIONS, normalize } from './projection.js';
import { TextVectors } from './text-vectors.js';

/** The built-in embedder. Deterministic: the same text gives the same vector in every process. */
export function createEmbedder(maxTokens: number): Embedder {
  const texts = new TextVectors();
  function* embed(inputs: readonly string[], dimensions: number): Steps<EmbeddedTexts> {
    const vectors = new Float32Array(inputs.length * dimensions);
    const inputTokens: (number | null)[] = [];
    for (const input of inputs) {
      const { vector, tokens } = yield* texts.of(input, maxTokens);
      const kept = vector.subarray(0, dimensions);
      // The first dimensions may, rarely, all be 0.
      if (!normalize(kept)) kept[0] = 1;
      vectors.set(kept, inputTokens.length * dimensions);
      inputTokens.push(tokens > maxTokens ? null : tokens);
      yield;
    }
    return { vectors, inputTokens };
  }
  return {
    dimensions: DIMENSIONS,
    embed,
  };
}
