export * from './pipe.js';
export * from './query.js';
