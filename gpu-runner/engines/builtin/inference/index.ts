export { identityOf, loadBase, type LoadedBase } from './base.js';
export { confidencesOf } from './confidences.js';
export { taskJudge } from './likeness.js';
export { createModel, loadHeads } from './model.js';
