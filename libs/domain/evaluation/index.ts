export * from './decider.js';
export * from './events.js';
export * from './measured.js';
export * from './state.js';
