export * from './envelope.js';
export * from './filter.js';
export * from './http-error.js';
export * from './map.js';
