export { batchDecider, type BatchCommand } from './decider.js';
export * from './events.js';
export * from './state.js';
