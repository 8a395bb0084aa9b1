import { GetQueueHandler, GetRunnersHandler, GetSettingsHandler } from './queries.js';
import { RunnersHeard } from './runners-heard.js';

export const OPERATOR = [GetQueueHandler, GetRunnersHandler, GetSettingsHandler, RunnersHeard];
