export type { Amount } from './quota.js';
export { purgeBeyondQuota, purgeLeftovers } from './purge.js';
export type { StorageReservation } from './reservation.js';
export { Storage } from './storage.js';
