export * from './decider.js';
export * from './events.js';
export * from './limits.js';
export * from './scopes.js';
export * from './state.js';
