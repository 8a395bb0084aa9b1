export { reaper } from './reaper.js';
export { removeStored } from './stored.js';
