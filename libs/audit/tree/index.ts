export * from './hashes.js';
export * from './proofs.js';
export * from './tiles.js';
