import { StartEvaluationHandler } from './commands/start.js';
import { DeleteEvaluationHandler } from './commands/delete.js';
import { CompareEvaluationsHandler } from './comparison.js';
import { GetEvaluationHandler, ListEvaluationsHandler } from './queries.js';

export const EVALUATIONS = [
  StartEvaluationHandler,
  DeleteEvaluationHandler,
  CompareEvaluationsHandler,
  GetEvaluationHandler,
  ListEvaluationsHandler,
];
