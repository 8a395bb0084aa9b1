import { MAX_PACK_TOKENS } from '#models/packs/index.js';
import type { EmbedderFacts } from '#gpu-runner/contract/engines.js';

/** Each id has one pack: vectors of two models cannot be compared. */
export const PACK_EMBEDDER: EmbedderFacts & { readonly pack: string } = {
  id: 'anneal/embedder-small-v1',
  pack: 'bge-small-en-v1.5',
  dimensions: 384,
  maxTokens: MAX_PACK_TOKENS,
  // About 20,000 tokens of English, which take some 20 seconds of one core.
  maxCharacters: 100_000,
};

/** The built-in base model, with the vectors of the same pack under its heads. */
export const ENCODER = { id: 'anneal/encoder-small-v1', pack: PACK_EMBEDDER.pack } as const;
