export * from './gate.js';
export * from './reservation.js';
