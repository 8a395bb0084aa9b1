export * from './bounds.js';
export type { DatasetCommand, GivenDescription } from './commands.js';
export { DATASET_NAME, datasetDecider, MAX_PROCESSING_ATTEMPTS, MAX_PROCESSING_ATTEMPTS_IN_VAIN } from './decider.js';
export { isQuotedOpenly, keyOfQuotes, objectsElsewhere } from './deletion.js';
export * from './events.js';
export { newVersionId } from './ids.js';
export * from './state.js';
export * from './versions.js';
