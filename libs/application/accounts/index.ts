export * from './bootstrap.js';
export * from './keys.js';
export * from './passwords.js';
export * from './revocation.js';
export * from './sessions.js';
export * from './sign-in-links.js';
export * from './users.js';
