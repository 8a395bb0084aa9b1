import { fileURLToPath } from 'node:url';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { settingsOf } from '../support/test-engine.js';

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
  resolveSettings: settingsOf({ epochs: 1, learningRate: 1, batchSize: 1, loraR: 1, loraAlpha: 1 }),
};
