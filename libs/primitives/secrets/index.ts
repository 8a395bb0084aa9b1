export * from './api-keys.js';
export * from './passwords.js';
export * from './secret-key.js';
export * from './sealing.js';
