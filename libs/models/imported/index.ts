export { catalogEntryOf } from './entry.js';
export {
  bytesOf,
  importedModel,
  importedModels,
  originOf,
  readImported,
  requireUnchanged,
  verify,
  type ImportedModel,
} from './folders.js';
export { isInParts } from './gguf-parts.js';
export { readGlinerConfig, type GlinerConfig } from './gliner-config.js';
export {
  GLINER2_ENCODER,
  readGliner2Config,
  type Activation,
  type CountingLayer,
  type DebertaConfig,
  type Gliner2Config,
  type RelativeConfig,
} from './gliner2-config.js';
export { isServedGliner2 } from './gliner2-served.js';
export { importModel, removeModel } from './import.js';
export { ImportError } from './import-error.js';
export { chatTemplateOf } from './inspect.js';
export { pullModel } from './pull.js';
export { toolFamily, type ToolFamily } from './tool-families.js';
