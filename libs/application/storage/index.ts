export { purgeBeyondQuota, purgeLeftovers } from './purge.js';
export { Storage } from './storage.js';
