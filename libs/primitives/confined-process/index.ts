export * from './confined-process.js';
export * from './folder.js';
