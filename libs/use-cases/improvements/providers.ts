import { CancelImprovementHandler, ForceGateHandler } from './commands/change.js';
import { ImproveModelHandler } from './commands/improve.js';
import { SetPolicyHandler } from './commands/set-policy.js';
import { GetImprovementHandler, ListImprovementsHandler } from './queries.js';

export const IMPROVEMENTS = [
  CancelImprovementHandler,
  ForceGateHandler,
  GetImprovementHandler,
  ImproveModelHandler,
  ListImprovementsHandler,
  SetPolicyHandler,
];
