import { CollectTeacherRowsHandler } from './commands/collect.js';
import { CancelDistillationHandler } from './commands/cancel.js';
import { DistilModelHandler } from './commands/distil.js';
import { GetDistillationHandler, ListDistillationsHandler } from './queries.js';

export const DISTILLATION = [
  CancelDistillationHandler,
  CollectTeacherRowsHandler,
  DistilModelHandler,
  GetDistillationHandler,
  ListDistillationsHandler,
];
