export { LearnedTexts, learnTexts } from './learned-texts.js';
