export * from './credits-log.js';
export * from './credits-of.js';
export * from './credits.js';
export * from './gate.js';
export * from './reclaim.js';
export * from './reservation.js';
