export * from './decider.js';
export * from './events.js';
export * from './state.js';
