export * from './confined-process.js';
export * from './folder.js';
export * from './read-by-child.js';
