export { catalogEntryOf } from './entry.js';
export { bytesOf, importedModels, originOf, verify, type ImportedModel } from './folders.js';
export { isInParts } from './gguf-parts.js';
export { importModel, removeModel } from './import.js';
export { ImportError } from './import-error.js';
export { pullModel } from './pull.js';
