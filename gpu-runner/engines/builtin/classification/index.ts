export { loadClassificationHead, type ClassificationHead } from './head.js';
export { keepRows, KeptRows } from './kept-rows.js';
export { NameVectors, nameVectorsOf } from './zero-shot/name-vectors.js';
export { MAX_ENCODED_ROWS, rowsToEncode } from './training/rows.js';
export { QuantizedRows } from './quantized.js';
export { isBeyondReading, visitTerms } from './terms/terms.js';
export { createClassificationTrainer } from './training/trainer.js';
export { TableVectors } from './table-vectors.js';
export { zeroShotClassifier } from './zero-shot/zero-shot.js';
