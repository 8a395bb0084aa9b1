import { fileURLToPath } from 'node:url';
import type { RegisteredEngine } from '#gpu-runner/engine/registered-engine.js';

const directory = fileURLToPath(new URL('./base', import.meta.url));
const maxTokens = 512;

/** Encoders in a process of their engine: one that answers without training, and one that has no head before. */
export const memory: RegisteredEngine = {
  name: 'memory',
  version: '1',
  module: new URL('./engine.js', import.meta.url).href,
  hasOwnProcess: true,
  baseModels: [
    { id: 'test/memory-ready', directory, maxTokens, heads: ['entities', 'classifications'] },
    {
      ...{ id: 'test/memory-plain', directory, maxTokens, heads: [], trainedHeads: ['entities', 'classifications'] },
      exports: ['onnx'],
    },
  ],
  embedders: [],
  resolveSettings: ({ trainingType, multiLabel }, given) => ({
    ...{ epochs: 2, learningRate: 1e-4, batchSize: 4, earlyStoppingPatience: 0 },
    ...{ loraR: 8, loraAlpha: 16, loraDropout: 0 },
    ...{ scheduler: 'constant', warmupRatio: 0, weightDecay: 0, saveSteps: 0, seed: 1 },
    ...given,
    ...{ trainingType, multiLabel },
  }),
};
