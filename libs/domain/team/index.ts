export * from './decider.js';
export * from './events.js';
export * from './limits.js';
export * from './plans.js';
export * from './state.js';
export * from './workspaces.js';
