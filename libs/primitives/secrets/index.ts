export * from './api-keys.js';
export * from './key-tree.js';
export * from './object-cipher.js';
export * from './passwords.js';
export * from './secret-key.js';
export * from './sealing.js';
