export * from './body-fields.js';
export * from './fields.js';
export * from './known.js';
export * from './pipe.js';
export * from './query.js';
export * from './text.js';
export * from './timestamp.js';
