import { knownPack, PackError, readPack } from '#model-packs/index.js';
import { ArtifactError, TrainingError, type Engine } from '../engine.js';
import { createPackEmbedder } from './embedder.js';
import { EMBEDDER } from './facts.js';
import { GraphError } from './onnx-graph.js';
import { PackEncoder } from './pack-encoder.js';

/** The engine of encoder packs: pretrained encoders of others, run by onnxruntime-node on the CPU. It trains no model of its own. */
export const engine: Engine = {
  train: () => Promise.reject(new TrainingError('encoder packs have no base model to train')),
  load() {
    throw new ArtifactError('encoder packs have no base model');
  },
  embedder: (_id, directory = '') => createPackEmbedder(openPack(EMBEDDER.pack, directory), EMBEDDER.dimensions),
};

function openPack(name: string, directory: string): PackEncoder {
  const pack = knownPack(name)!;
  try {
    return new PackEncoder({ pack, ...readPack(pack, directory) });
  } catch (error) {
    if (error instanceof PackError || error instanceof GraphError)
      throw new ArtifactError(error.message, { cause: error });
    throw error;
  }
}
