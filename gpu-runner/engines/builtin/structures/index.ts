/** Structures: a tagger of field values, a rule that puts values into records, and classifiers of their choices. */
export { Choices } from './choices.js';
export { NO_LAYOUT } from './layout.js';
export { loadStructureHead, type FoundValue, type RecordValue, type StructureHead } from './head.js';
export { createStructureTrainer } from './trainer.js';
