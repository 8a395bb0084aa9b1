import { CancelImprovementHandler, ForceGateHandler, ImproveModelHandler, SetPolicyHandler } from './commands.js';
import { GetImprovementHandler, ListAllImprovementsHandler, ListImprovementsHandler } from './queries.js';

export const IMPROVEMENTS = [
  CancelImprovementHandler,
  ForceGateHandler,
  GetImprovementHandler,
  ImproveModelHandler,
  ListAllImprovementsHandler,
  ListImprovementsHandler,
  SetPolicyHandler,
];
