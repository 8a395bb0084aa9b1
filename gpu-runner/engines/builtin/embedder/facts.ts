import type { EmbedderFacts } from '#gpu-runner/contract/engines.js';
import { DIMENSIONS } from './projection.js';

export const BUILTIN_EMBEDDER: EmbedderFacts = {
  id: 'anneal/embedder-base-v1',
  dimensions: DIMENSIONS,
  maxTokens: 8_192,
  // About 300,000 tokens of English, which take seconds at most.
  maxCharacters: 1_500_000,
};
