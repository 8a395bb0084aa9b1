export * from './content-in.js';
export * from './cost.js';
export * from './events.js';
export * from './request.js';
export * from './summary.js';
export * from './token-kinds.js';
