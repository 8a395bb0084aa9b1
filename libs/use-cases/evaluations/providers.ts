import { StartEvaluationHandler } from './commands/start.js';
import { DeleteEvaluationHandler } from './commands/delete.js';
import { CompareEvaluationsHandler } from './queries/comparison.js';
import { GetEvaluationHandler, ListEvaluationsHandler } from './queries/evaluations.js';

export const EVALUATIONS = [
  StartEvaluationHandler,
  DeleteEvaluationHandler,
  CompareEvaluationsHandler,
  GetEvaluationHandler,
  ListEvaluationsHandler,
];
