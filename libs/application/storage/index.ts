export { purgeBeyondQuota, purgeLeftovers, removePurged } from './purge.js';
