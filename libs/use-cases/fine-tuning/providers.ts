import { CreateFineTuningJobHandler } from './commands.js';
import {
  GetFineTuningJobHandler,
  ListFineTuningCheckpointsHandler,
  ListFineTuningEventsHandler,
  ListFineTuningJobsHandler,
} from './queries.js';

export const FINE_TUNING = [
  CreateFineTuningJobHandler,
  GetFineTuningJobHandler,
  ListFineTuningCheckpointsHandler,
  ListFineTuningEventsHandler,
  ListFineTuningJobsHandler,
];
