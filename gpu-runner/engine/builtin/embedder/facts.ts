import type { EmbedderFacts } from '../../../contract/engines.js';
import { DIMENSIONS } from './projection.js';

export const EMBEDDER: EmbedderFacts = {
  id: 'anneal/embedder-base-v1',
  dimensions: DIMENSIONS,
  mostTokens: 8_192,
  // About 300,000 tokens of English, which take seconds at most.
  mostCharacters: 1_500_000,
};
