export { LearnedTexts, learnTexts, type TaskJudge } from './learned-texts.js';
