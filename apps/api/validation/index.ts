export * from './body-fields.js';
export * from './fields.js';
export * from './known.js';
export * from './not-blank.js';
export * from './printable.js';
export * from './pipe.js';
export * from './query.js';
export * from './timestamp.js';
