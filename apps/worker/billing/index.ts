export { startReclaiming } from './reclaiming.js';
