export { purgeBeyondQuota, purgeLeftovers, removePurged } from './purge.js';
export { Storage } from './storage.js';
