export * from './decider.js';
export * from './events.js';
export * from './sentence.js';
export * from './state.js';
