import { fileURLToPath } from 'node:url';
import type { RegisteredEngine } from '../registered-engine.js';
import { ENGINE_NAME, TRAINER_VERSION } from './artifact/versions.js';
import { BUILTIN_EMBEDDER } from './embedder/facts.js';
import { MAX_TEXT_TOKENS } from './limits.js';
import { resolveSettings } from './settings.js';

export const builtin: RegisteredEngine = {
  name: ENGINE_NAME,
  version: String(TRAINER_VERSION),
  module: new URL('./index.js', import.meta.url).href,
  baseModels: [
    {
      id: 'anneal/encoder-base-v1',
      directory: fileURLToPath(new URL('./base-model', import.meta.url)),
      maxTokens: MAX_TEXT_TOKENS,
      heads: ['entities', 'classifications'],
      trainedHeads: ['structures', 'relations'],
    },
  ],
  embedders: [BUILTIN_EMBEDDER],
  resolveSettings,
  readsLabelDescriptions: true,
  learnsTasks: true,
};
