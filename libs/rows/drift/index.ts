export * from './training-references.js';
