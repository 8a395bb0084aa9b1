export { catalogEntryOf } from './entry.js';
export {
  bytesOf,
  importedModel,
  importedModels,
  originOf,
  readImported,
  verify,
  type ImportedModel,
} from './folders.js';
export { isInParts } from './gguf-parts.js';
export { readGlinerConfig, type GlinerConfig } from './gliner-config.js';
export { importModel, removeModel } from './import.js';
export { ImportError } from './import-error.js';
export { pullModel } from './pull.js';
