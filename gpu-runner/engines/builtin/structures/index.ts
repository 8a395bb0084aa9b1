/** Structures: a tagger of field values, and a rule that puts values into records. */
export { Choices } from './choices.js';
export { groupRecords } from './grouping.js';
export { NO_LAYOUT } from './layout.js';
export { loadStructureHead, type FoundValue, type StructureHead } from './head.js';
export { createStructureTrainer } from './trainer.js';
