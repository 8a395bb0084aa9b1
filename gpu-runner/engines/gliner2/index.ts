import { ArtifactError, TrainingError, type Engine } from '../engine.js';
import { createModel } from './model.js';
import { openGliner2 } from './open.js';

/** The engine of imported GLiNER2 models where the torch engine is not installed: any schema, by onnxruntime on the CPU. It trains nothing. */
export const engine: Engine = {
  train: () =>
    Promise.reject(new TrainingError('GLiNER2 models are trained by the torch engine, which is not installed')),
  load(baseDirectory, adapterDirectory) {
    if (adapterDirectory !== null) throw new ArtifactError('models trained on GLiNER2 need the torch engine');
    return createModel(openGliner2(baseDirectory));
  },
};
