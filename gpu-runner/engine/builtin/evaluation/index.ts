export { evaluationFigures } from './figures.js';
