export * from './decider.js';
export * from './events.js';
export * from './standing.js';
export * from './state.js';
