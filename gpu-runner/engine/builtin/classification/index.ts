export { loadClassificationHead, type ClassificationHead } from './head.js';
export { keepRows, KeptRows } from './kept-rows.js';
export { NameVectors, nameVectorsOf } from './name-vectors.js';
export { MAX_ENCODED_ROWS, rowsToEncode } from './rows.js';
export { isBeyondReading } from './terms.js';
export { createClassificationTrainer } from './trainer.js';
export { TableVectors } from './table-vectors.js';
export { zeroShotClassifier } from './zero-shot.js';
