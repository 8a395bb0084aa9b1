import type { Engine } from '../engine.js';
import { adapterBase, readAdapterArtifact } from './artifact/index.js';
import { BUILTIN_EMBEDDER } from './embedder/facts.js';
import { createEmbedder } from './embedder/index.js';
import { createModel, loadBase } from './inference/index.js';
import { train } from './training/train.js';

/**
 * The engine that needs nothing installed: TypeScript on the CPU. Entities by a linear-chain CRF over sparse features on top of
 * a base tagger, classes by a linear model over n-grams. Deterministic: the same request gives the same artifact, byte for byte.
 */
export const engine: Engine = {
  async train(request, report, signal) {
    const trained = request.startFrom === null ? null : adapterBase(request.startFrom);
    return train(request, loadBase(request.baseDirectory, trained), report, signal);
  },
  load(baseDirectory, adapterDirectory) {
    if (adapterDirectory === null) return createModel(loadBase(baseDirectory), {}, 0);
    const base = loadBase(baseDirectory, adapterBase(adapterDirectory));
    const adapter = readAdapterArtifact(adapterDirectory, base.reference);
    return createModel(base, adapter.heads, adapter.byteSize, adapterDirectory);
  },
  embedder: () => createEmbedder(BUILTIN_EMBEDDER.maxTokens),
};
