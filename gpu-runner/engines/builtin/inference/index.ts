export { identityOf, loadBase, type LoadedBase } from './base.js';
export { confidencesOf } from './confidences.js';
export { createModel, loadHeads } from './model.js';
