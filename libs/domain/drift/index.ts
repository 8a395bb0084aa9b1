export * from './counts.js';
export * from './measures.js';
export * from './psi.js';
export * from './reference.js';
export * from './week.js';
export * from './words.js';
