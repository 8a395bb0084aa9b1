import { importedModels, type ImportedModel } from '#models/imported/index.js';
import { findLlama, type LlamaInstall } from '#models/installs/llama/index.js';
import type { BaseModelFacts } from '#gpu-runner/contract/engines.js';
import type { GenerationFeature } from '#gpu-runner/contract/generation.js';
import type { RegisteredEngine, ServerAddress } from '../registered-engine.js';
import { ADAPTABLE } from './adapter-gguf.js';
import { resolveSettings } from '../torch/settings.js';

/** Optional features of the engine. Where it serves alone, all others are refused before a runner is asked. */
const FEATURES: readonly GenerationFeature[] = [
  ...(['topK', 'seed', 'frequencyPenalty', 'presencePenalty', 'json_object', 'json_schema'] as const),
];

/**
 * The engines, with the llama engine if it is installed: it serves imported GGUF files alone, or the calls that it takes for an
 * engine that trains them, if adapters on them can be converted.
 * @param engineFolders where it may be installed
 * @param modelFolders where imported models are
 */
export function withLlama(
  engines: readonly RegisteredEngine[],
  engineFolders: readonly string[],
  modelFolders: readonly string[],
): readonly RegisteredEngine[] {
  const install = findLlama(engineFolders);
  const models = install === null ? [] : importedModels(modelFolders).filter(isGguf);
  if (install === null || models.length === 0) return engines;
  const module = moduleOf(install);
  const version = `packages ${install.facts.lock}`;
  const server: ServerAddress = { engine: { name: 'llama', version }, module, isRemote: false };
  const trained = engines.map((engine) => served(engine, models, server));
  const known = new Set(engines.flatMap(({ baseModels }) => baseModels.map(({ id }) => id)));
  const alone = models.filter(({ manifest }) => !known.has(manifest.id)).flatMap(factsOf);
  if (alone.length === 0) return trained;
  const own = {
    name: 'llama',
    version,
    module,
    trains: false,
    baseModels: alone,
    embedders: [],
    resolveSettings,
  } as const;
  return [...trained, own];
}

const isGguf = ({ manifest }: ImportedModel): boolean =>
  manifest.kind === 'anneal-decoder' && manifest.format === 'gguf';

function moduleOf({ folder, facts }: LlamaInstall): string {
  const module = new URL('./index.js', import.meta.url);
  module.searchParams.set('folder', folder);
  module.searchParams.set('version', facts.versions['node-llama-cpp'] ?? '');
  return module.href;
}

function served(engine: RegisteredEngine, models: readonly ImportedModel[], server: ServerAddress): RegisteredEngine {
  const adaptable = models.filter(({ manifest }) => ADAPTABLE.includes(manifest.architecture));
  const ids = new Set(adaptable.map(({ manifest }) => manifest.id));
  const own = engine.baseModels.filter(({ id, generation }) => generation && ids.has(id));
  return own.length === 0 ? engine : { ...engine, servers: new Map(own.map(({ id }) => [id, server])) };
}

function factsOf({ folder, manifest }: ImportedModel): readonly BaseModelFacts[] {
  if (manifest.kind !== 'anneal-decoder') return [];
  const { id, contextTokens, hasChatTemplate } = manifest;
  const generation = { hasChatTemplate, features: FEATURES };
  return [{ id, directory: folder, maxTokens: contextTokens, heads: [], generation }];
}
