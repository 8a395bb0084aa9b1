import { fileURLToPath } from 'node:url';
import type { RegisteredEngine } from '#gpu-runner/engine/registered-engine.js';

export const byHeart: RegisteredEngine = {
  name: 'by-heart',
  version: '1',
  module: new URL('./engine.js', import.meta.url).href,
  baseModels: [
    {
      id: 'test/by-heart',
      directory: fileURLToPath(new URL('./base', import.meta.url)),
      maxTokens: 50_000,
      heads: ['entities'],
    },
  ],
  embedders: [],
  resolveSettings: ({ trainingType, multiLabel }, given) => ({
    ...{ epochs: 1, learningRate: 1, batchSize: 1, earlyStoppingPatience: 0, loraR: 1, loraAlpha: 1, loraDropout: 0 },
    ...{ scheduler: 'constant', warmupRatio: 0, weightDecay: 0, saveSteps: 0, seed: 1 },
    ...given,
    ...{ trainingType, multiLabel },
  }),
};
