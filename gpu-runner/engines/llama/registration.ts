import { readGguf } from '#models/imported/gguf.js';
import { importedModels, type ImportedModel } from '#models/imported/index.js';
import { findLlama, type LlamaInstall } from '#models/installs/llama/index.js';
import type { BaseModelFacts } from '#gpu-runner/contract/engines.js';
import { GENERATION_FEATURES, type GenerationFeature } from '#gpu-runner/contract/generation.js';
import type { RegisteredEngine, ServerAddress } from '../registered-engine.js';
import { ADAPTABLE } from './adapter-gguf.js';
import { readFamily } from './form.js';
import { ggufIn } from './gguf-file.js';
import { resolveSettings } from '../torch/settings.js';

/** Optional features of a model here. Where the engine serves alone, all others are refused before a runner is asked. */
function featuresOf({ folder, manifest }: ImportedModel): readonly GenerationFeature[] {
  const readsCalls =
    manifest.kind === 'anneal-decoder' && manifest.takesTools && readFamily(chatTemplateOf(folder)) !== null;
  return GENERATION_FEATURES.filter((feature) => feature !== 'tools' || readsCalls);
}

/** null too for a file that is damaged since it was imported, which is said when it is loaded. */
function chatTemplateOf(folder: string): string | null {
  try {
    return readGguf(ggufIn(folder) ?? folder).chatTemplate;
  } catch {
    return null;
  }
}

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
  const server = { engine: { name: 'llama', version }, module, isRemote: false };
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
  const own = adaptable.filter(({ manifest: { id } }) =>
    engine.baseModels.some((model) => model.id === id && model.generation),
  );
  if (own.length === 0) return engine;
  const servers = own.map((model) => [model.manifest.id, { ...server, features: featuresOf(model) }] as const);
  return { ...engine, servers: new Map(servers) };
}

function factsOf(model: ImportedModel): readonly BaseModelFacts[] {
  const { folder, manifest } = model;
  if (manifest.kind !== 'anneal-decoder') return [];
  const { id, contextTokens, hasChatTemplate } = manifest;
  const generation = { hasChatTemplate, features: featuresOf(model) };
  return [{ id, directory: folder, maxTokens: contextTokens, heads: [], generation }];
}
