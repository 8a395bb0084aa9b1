export * from './bounds.js';
export type { DatasetCommand } from './commands.js';
export { DATASET_NAME, datasetDecider, PROCESSING_ATTEMPTS } from './decider.js';
export * from './events.js';
export { newVersionId } from './ids.js';
export * from './state.js';
export * from './versions.js';
