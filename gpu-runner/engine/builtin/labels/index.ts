/** Parts of the base model used at run time: its types, the labels that stand for them, and concept words. */
export { CONCEPTS, conceptWords } from './concepts.js';
export { entityTypeNames, entityTypes, type EntityType } from './entity-types.js';
export { resolveLabel, resolveLabels } from './label-resolution.js';
