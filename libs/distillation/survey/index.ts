export type { EstimatedShare, NoEstimate } from './estimate.js';
export type { Head } from './heads.js';
export type { Doubt, RefusedGroup, Spent, Survey, SurveyedCall, SurveyedTask } from './survey.js';
export type { VectorsAnswer, VectorsQuestion } from './protocol.js';
export { Surveys } from './surveys.js';
