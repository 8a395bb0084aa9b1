import type { Engine } from '../engine.js';
import { readAdapterArtifact } from './artifact/index.js';
import { BUILTIN_EMBEDDER } from './embedder/facts.js';
import { createEmbedder } from './embedder/index.js';
import { createModel, loadBase } from './inference/index.js';
import { train } from './training/train.js';

/**
 * The engine that needs nothing installed: TypeScript on the CPU. Entities by a linear-chain CRF over sparse features on top of
 * a base tagger, classes by a linear model over n-grams. Deterministic: the same request gives the same artifact, byte for byte.
 */
export const engine: Engine = {
  train: async (request, report, signal) => train(request, loadBase(request.baseDirectory), report, signal),
  load(baseDirectory, adapterDirectory) {
    const base = loadBase(baseDirectory);
    if (adapterDirectory === null) return createModel(base, {}, 0);
    const adapter = readAdapterArtifact(adapterDirectory, base.reference);
    return createModel(base, adapter.heads, adapter.byteSize, adapterDirectory);
  },
  embedder: () => createEmbedder(BUILTIN_EMBEDDER.maxTokens),
};
