export * from './decider.js';
export * from './events.js';
export * from './gate.js';
export * from './policy.js';
export * from './state.js';
