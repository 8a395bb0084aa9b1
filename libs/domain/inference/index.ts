export * from './cost.js';
export * from './events.js';
