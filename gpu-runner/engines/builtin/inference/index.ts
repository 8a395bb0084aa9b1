export { identityOf, loadBase, type LoadedBase } from './base.js';
export { createModel } from './model.js';
