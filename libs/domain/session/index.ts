export * from './decider.js';
export * from './events.js';
