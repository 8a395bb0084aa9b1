export { train } from './train.js';
