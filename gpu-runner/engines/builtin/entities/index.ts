/** Entities: a linear-chain CRF over sparse features, on top of a base tagger. */
export { loadBaseTagger, mappedHead, type BaseTagger } from './base-tagger.js';
export { loadEntityHead } from './entity-head.js';
export { learningRateFactor } from './training/learning-rate.js';
export { createLayeredTrainer } from './training/layered-trainer.js';
export { loadLayeredHead, type LayeredHead } from './layered-head.js';
export { overlapsAny } from './training/layers.js';
export { joinStates, partOfState } from './states.js';
export { tagInSteps, type EntityHead } from './tagging.js';
export { createEntityTrainer, type LabelResolver } from './training/trainer.js';
export { ZeroShotEntities } from './zero-shot/zero-shot.js';
export type { ZeroShotWeights } from './zero-shot/weights.js';
