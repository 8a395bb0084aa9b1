export * from './decider.js';
export * from './email-address.js';
export * from './events.js';
export * from './state.js';
