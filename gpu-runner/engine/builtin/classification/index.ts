export { loadClassificationHead, type ClassificationHead } from './head.js';
export { createClassificationTrainer, defaultClassificationLearningRate, effectiveRank } from './trainer.js';
