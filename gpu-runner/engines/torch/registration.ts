import type { ExportFormat } from '#domain/model-export/index.js';
import { importedModels, isInParts } from '#models/imported/index.js';
import { findTorch, readLock } from '#models/installs/torch/index.js';
import type { BaseModelFacts } from '#gpu-runner/contract/engines.js';
import { GENERATION_FEATURES } from '#gpu-runner/contract/generation.js';
import type { InferHead } from '#gpu-runner/contract/schema.js';
import type { RegisteredEngine } from '../registered-engine.js';
import { resolveSettings, SETTING_RANGES } from './settings.js';

export interface TorchOptions {
  readonly processes?: number;
  readonly isDeterministic?: boolean;
}

/** Changes when the same rows, settings and seed would give another file with the same packages. */
const TRAINER_VERSION = 4;
/** The heads of encoders. */
const HEADS: readonly InferHead[] = ['entities', 'classifications', 'structures', 'relations'];

/** Architectures that are written as GGUF: `ARCHITECTURES` of python/anneal_runner/exporting/gguf.py, which refuses some of their models. */
const GGUF_ARCHITECTURES: readonly string[] = ['llama', 'mistral', 'qwen2', 'qwen3'];

/** The formats of exports of decoders on a base of this architecture. */
export const exportsOf = (architecture: string): readonly ExportFormat[] =>
  GGUF_ARCHITECTURES.includes(architecture) ? ['adapter', 'merged', 'gguf', 'gguf-q8_0'] : ['adapter', 'merged'];

/**
 * The engine of PyTorch, with the imported models, but for graphs, and GGUF files in parts, which transformers does not load; none if it is not installed.
 * @param engineFolders where it may be installed
 * @param modelFolders where imported models are
 * @param options `processes`: that train a model together
 */
export function torchEngine(
  engineFolders: readonly string[],
  modelFolders: readonly string[],
  { processes = 1, isDeterministic = true }: TorchOptions = {},
): readonly RegisteredEngine[] {
  const lock = readLock();
  const install = findTorch(engineFolders, lock);
  if (install === null) return [];
  const module = new URL('./index.js', import.meta.url);
  module.searchParams.set('python', install.python);
  module.searchParams.set('processes', String(processes));
  if (!isDeterministic) module.searchParams.set('deterministic', 'off');
  const models = importedModels(modelFolders).filter(
    ({ manifest: { format, files } }) => format !== 'onnx' && !isInParts(Object.keys(files)),
  );
  const baseModels = models.map(({ folder, manifest }): BaseModelFacts => {
    const { id, contextTokens } = manifest;
    const facts = { id, directory: folder, maxTokens: contextTokens, heads: [] };
    if (manifest.kind === 'anneal-encoder')
      return manifest.isGliner2 ? { ...facts, heads: HEADS } : { ...facts, trainedHeads: HEADS, exports: ['onnx'] };
    const { hasChatTemplate, takesTools, architecture, format } = manifest;
    const features = GENERATION_FEATURES.filter((feature) => feature !== 'tools' || takesTools);
    return {
      ...{ ...facts, generation: { hasChatTemplate, features }, exports: exportsOf(architecture) },
      ...(format === 'gguf' && { isExpanded: true }),
    };
  });
  const version = `${TRAINER_VERSION}, packages ${lock.key}${isDeterministic ? '' : ', not deterministic'}`;
  const settings = { resolveSettings, settingRanges: SETTING_RANGES };
  return [{ name: 'torch', version, module: module.href, hasOwnProcess: true, baseModels, embedders: [], ...settings }];
}
