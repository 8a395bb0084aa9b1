import { importedModels } from '#models/imported/index.js';
import type { BaseModelFacts } from '#gpu-runner/contract/engines.js';
import { resolveSettings } from '../builtin/settings.js';
import { missingRuntime } from '../packs/installed.js';
import type { RegisteredEngine } from '../registered-engine.js';

/** The engine of imported GLiNER models; none if there are none, or the packages that run them are missing. */
export function glinerEngine(modelFolders: readonly string[]): readonly RegisteredEngine[] {
  const models = importedModels(modelFolders).filter(({ manifest }) => manifest.format === 'onnx');
  if (models.length === 0 || missingRuntime() !== null) return [];
  const baseModels = models.map(({ folder, manifest: { id, contextTokens } }): BaseModelFacts => {
    return { id, directory: folder, maxTokens: contextTokens, heads: ['entities'] };
  });
  const module = new URL('./index.js', import.meta.url).href;
  return [{ name: 'gliner', version: '1', module, trains: false, baseModels, embedders: [], resolveSettings }];
}
