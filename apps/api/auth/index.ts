export * from './authenticator.js';
export * from './decorators.js';
