import { Surveys } from '#distillation/survey/index.js';
import { CancelDistillationHandler } from './commands/cancel.js';
import { CollectTeacherRowsHandler } from './commands/collect.js';
import { LabelTaskTextsHandler } from './commands/label.js';
import { DistilModelHandler } from './commands/distil.js';
import { DistilAgainHandler } from './commands/distil-again.js';
import { ListDistillableHandler } from './queries/distillable.js';
import { GetDistillationHandler, ListDistillationsHandler } from './queries/distillations.js';
import { GetSavingsHandler } from './queries/savings.js';
import { TextEmbedder } from './text-embedder.js';

export const DISTILLATION = [
  CancelDistillationHandler,
  CollectTeacherRowsHandler,
  DistilAgainHandler,
  DistilModelHandler,
  GetDistillationHandler,
  LabelTaskTextsHandler,
  GetSavingsHandler,
  ListDistillableHandler,
  ListDistillationsHandler,
  Surveys,
  TextEmbedder,
];
