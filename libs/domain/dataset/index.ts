export * from './decider.js';
export * from './events.js';
export { newVersionId } from './ids.js';
export * from './state.js';
export * from './versions.js';
