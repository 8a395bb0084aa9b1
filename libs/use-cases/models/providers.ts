import {
  AddModelVersionHandler,
  ChangeModelHandler,
  CreateNamedModelHandler,
  DeleteNamedModelHandler,
  RollBackModelHandler,
} from './commands.js';
import { GetNamedModelHandler, ListNamedModelsHandler } from './queries/models.js';
import { GetDriftHandler } from './queries/drift.js';

export const MODELS = [
  AddModelVersionHandler,
  ChangeModelHandler,
  CreateNamedModelHandler,
  DeleteNamedModelHandler,
  GetDriftHandler,
  GetNamedModelHandler,
  ListNamedModelsHandler,
  RollBackModelHandler,
];
