export { datasetProcessing } from './dataset-processing.js';
