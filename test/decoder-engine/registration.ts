import { fileURLToPath } from 'node:url';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { settingsOf } from '../support/test-engine.js';

const DIRECTORY = fileURLToPath(new URL('./base', import.meta.url));
const CONTEXT_WINDOW = 512;

/** Decoders that answer from memory: one that takes chats, and one that continues texts. */
export const parrot: RegisteredEngine = {
  name: 'parrot',
  version: '1',
  module: new URL('./engine.js', import.meta.url).href,
  baseModels: [
    {
      id: 'test/parrot-chat',
      directory: DIRECTORY,
      maxTokens: CONTEXT_WINDOW,
      heads: [],
      generation: { hasChatTemplate: true, features: ['seed', 'logprobs', 'tools', 'json_schema'] },
      exports: ['adapter', 'merged'],
    },
    {
      id: 'test/parrot-base',
      directory: DIRECTORY,
      maxTokens: CONTEXT_WINDOW,
      heads: [],
      generation: { hasChatTemplate: false, features: ['seed'] },
    },
  ],
  embedders: [],
  settingRanges: { learningRate: [1e-9, 1], loraAlpha: [1e-3, 4096] },
  resolveSettings: settingsOf(),
};
