import { knownPack, PackError, readPack } from '#model-packs/index.js';
import { ArtifactError, TrainingError, type Engine } from '../engine.js';
import { engine as builtInEngine } from '../builtin/index.js';
import { builtin } from '../builtin/registration.js';
import { createPackEmbedder } from './embedder.js';
import { EMBEDDER, ENCODER } from './facts.js';
import { GraphError } from './onnx-graph.js';
import { createPackModel } from './model.js';
import { PackEncoder } from './pack-encoder.js';

/** The engine of encoder packs: pretrained encoders of others, run by onnxruntime-node on the CPU. It trains nothing. */
export const engine: Engine = {
  train: () => Promise.reject(new TrainingError(`${ENCODER.id} cannot be trained`)),
  load(directory, adapterDirectory) {
    if (adapterDirectory !== null) throw new ArtifactError(`${ENCODER.id} has no trained models`);
    const [base] = builtin.baseModels;
    return createPackModel(builtInEngine.load(base!.directory, null), openPack(ENCODER.pack, directory));
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
