export * from './authenticator.js';
export * from './decorators.js';
export * from './permissions.js';
