export { purgeBeyondQuota, purgeLeftovers, removePurged } from './purge.js';
export { keysOfGeneration } from './generation-keys.js';
