import { importedModels, isServedGliner2 } from '#models/imported/index.js';
import type { BaseModelFacts } from '#gpu-runner/contract/engines.js';
import type { InferHead } from '#gpu-runner/contract/schema.js';
import { resolveSettings } from '../builtin/settings.js';
import { missingRuntime } from '../packs/installed.js';
import type { RegisteredEngine } from '../registered-engine.js';

const HEADS: readonly InferHead[] = ['entities', 'classifications', 'structures', 'relations'];

/**
 * The engine of imported GLiNER2 models that no other engine has; none if there are none, or the packages that run them are missing. The
 * torch engine, where it is installed, has them all: it trains them, and serves them on a GPU too.
 * @param others the other engines here
 */
export function gliner2Engine(
  modelFolders: readonly string[],
  others: readonly RegisteredEngine[],
): readonly RegisteredEngine[] {
  const known = new Set(others.flatMap(({ baseModels }) => baseModels.map(({ id }) => id)));
  const models = importedModels(modelFolders).filter(
    (model) => !known.has(model.manifest.id) && isServedGliner2(model),
  );
  if (models.length === 0 || missingRuntime() !== null) return [];
  const baseModels = models.map(({ folder, manifest: { id, contextTokens } }): BaseModelFacts => {
    return { id, directory: folder, maxTokens: contextTokens, heads: HEADS };
  });
  const module = new URL('./index.js', import.meta.url).href;
  return [{ name: 'gliner2', version: '1', module, trains: false, baseModels, embedders: [], resolveSettings }];
}
