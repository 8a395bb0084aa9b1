export { reaper } from './reaper.js';
export { startSweeps } from './sweeps.js';
export { removeStored } from './stored.js';
