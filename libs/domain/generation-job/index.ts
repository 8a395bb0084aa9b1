export * from './decider.js';
export * from './events.js';
export * from './rows.js';
export * from './state.js';
