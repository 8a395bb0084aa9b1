import { ArtifactError, TrainingError, type Engine } from '../engine.js';
import { openGliner } from './graph.js';
import { createModel } from './model.js';

/** The engine of imported GLiNER models: entities of any labels, by onnxruntime on the CPU. It trains nothing. */
export const engine: Engine = {
  train: () => Promise.reject(new TrainingError('GLiNER models are not trained here: choose another base model')),
  load(baseDirectory, adapterDirectory) {
    if (adapterDirectory !== null) throw new ArtifactError('GLiNER models take no adapters');
    return createModel(openGliner(baseDirectory));
  },
};
