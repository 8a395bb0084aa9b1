import { GetQueueHandler, GetRunnersHandler, GetSettingsChangesHandler, GetSettingsHandler } from './queries.js';
import { RunnersHeard } from './runners-heard.js';

export const OPERATOR = [
  GetQueueHandler,
  GetRunnersHandler,
  GetSettingsChangesHandler,
  GetSettingsHandler,
  RunnersHeard,
];
