/** Parts of the base model used at run time: its types, their labels, and concept words. */
export { conceptWords } from './concepts.js';
export { resolveLabel, resolveLabels } from './label-resolution.js';
export { labelsBeyondTypes, scopeOf, type LabelScope } from './narrower-labels.js';
