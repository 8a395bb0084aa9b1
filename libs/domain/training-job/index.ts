export * from './decider.js';
export * from './events.js';
export * from './file-name.js';
export * from './held-out.js';
export * from './settings.js';
export * from './state.js';
export * from './training-state.js';
