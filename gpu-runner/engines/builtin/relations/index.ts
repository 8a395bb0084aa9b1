/** Relations: a tagger of their ends, and a logistic regression over ordered pairs of these. */
export { loadRelationHead, type FoundRelation, type RelationHead } from './head.js';
export { areMentions, nameOfType } from './mention-types.js';
export { createRelationTrainer } from './trainer.js';
