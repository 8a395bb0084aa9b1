export { loadClassificationHead, type ClassificationHead } from './head.js';
export { NameVectors } from './name-vectors.js';
export { isBeyondReading } from './terms.js';
export { createClassificationTrainer, effectiveRank } from './trainer.js';
export { zeroShotClassifier, type ConceptLookup } from './zero-shot.js';
