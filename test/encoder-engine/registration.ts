import { fileURLToPath } from 'node:url';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { settingsOf } from '../support/test-engine.js';

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
  resolveSettings: settingsOf(),
};
