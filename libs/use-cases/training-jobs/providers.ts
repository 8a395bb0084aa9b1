import { DeleteTrainingJobHandler } from './commands/delete.js';
import { ExportModelHandler } from './commands/export.js';
import { StartTrainingJobHandler } from './commands/start.js';
import { StopTrainingJobHandler } from './commands/stop.js';
import { Deployments } from './deployments.js';
import { LiveProgress } from './live-progress.js';
import { ModelArchives } from './model-archives.js';
import { GetServedCheckpointHandler, GetTrainingCheckpointsHandler } from './queries/checkpoints.js';
import { GetDownloadHandler } from './queries/download.js';
import { EstimateTrainingHandler } from './queries/estimate.js';
import { ListExportsHandler } from './queries/exports.js';
import { FollowTrainingJobHandler } from './queries/follow.js';
import { GetTrainingJobHandler, ListTrainedModelsHandler, ListTrainingJobsHandler } from './queries/jobs.js';
import { GetTrainingLogsHandler } from './queries/log.js';
import { ToldByRunners } from './told-by-runners.js';

export const TRAINING_JOBS = [
  DeleteTrainingJobHandler,
  Deployments,
  EstimateTrainingHandler,
  ExportModelHandler,
  FollowTrainingJobHandler,
  GetDownloadHandler,
  GetServedCheckpointHandler,
  GetTrainingCheckpointsHandler,
  GetTrainingJobHandler,
  GetTrainingLogsHandler,
  ListExportsHandler,
  ListTrainedModelsHandler,
  ListTrainingJobsHandler,
  LiveProgress,
  ModelArchives,
  StartTrainingJobHandler,
  StopTrainingJobHandler,
  ToldByRunners,
];
