import { findPack, knownPack } from '#models/packs/index.js';
import type { BaseModelFacts, EmbedderFacts } from '../../contract/engines.js';
import { TRAINER_VERSION } from '../builtin/artifact/versions.js';
import { builtin } from '../builtin/registration.js';
import { MAX_VECTOR_TOKENS } from '../builtin/limits.js';
import { resolveSettings } from '../builtin/settings.js';
import type { RegisteredEngine } from '../registered-engine.js';
import { PACK_EMBEDDER, ENCODER } from './facts.js';
import { missingRuntime } from './installed.js';

/**
 * The engine of encoder packs; none if the pack of its models is in no folder, or the packages that run it are missing.
 */
export function packsEngine(folders: readonly string[]): readonly RegisteredEngine[] {
  const directory = findPack(knownPack(PACK_EMBEDDER.pack)!, folders);
  if (directory === null || missingRuntime() !== null) return [];
  const { pack: _, ...facts } = PACK_EMBEDDER;
  const embedder: EmbedderFacts = { ...facts, directory };
  const module = new URL('./index.js', import.meta.url).href;
  const version = `4, built-in ${TRAINER_VERSION}`;
  const { maxTokens, heads, trainedHeads } = builtin.baseModels[0]!;
  const encoder: BaseModelFacts = {
    id: ENCODER.id,
    directory,
    maxTokens,
    heads,
    ...(trainedHeads && { trainedHeads }),
    typeForStretches: 'full',
    wordVectors: { bytesOfWord: PACK_EMBEDDER.dimensions, maxWords: MAX_VECTOR_TOKENS },
  };
  const models = { baseModels: [encoder], embedders: [embedder] };
  return [
    { name: 'packs', version, module, ...models, resolveSettings, readsLabelDescriptions: true, learnsTasks: true },
  ];
}
