import { StartTrainingJobHandler } from './commands/start.js';
import { StopTrainingJobHandler } from './commands/stop.js';
import { EstimateTrainingHandler } from './queries/estimate.js';
import { Deployments } from './reading/deployments.js';
import { LiveProgress } from './reading/live-progress.js';
import { ToldByRunners } from './reading/told-by-runners.js';
import {
  GetTrainingCheckpointsHandler,
  GetTrainingJobHandler,
  GetTrainingLogsHandler,
  ListTrainedModelsHandler,
  ListTrainingJobsHandler,
} from './reading/queries.js';
import { DeleteTrainingJobHandler } from './weights/delete.js';
import { GetDownloadHandler } from './weights/download.js';
import { ExportModelHandler, ListExportsHandler } from './weights/exports.js';
import { ModelArchives } from './weights/model-archives.js';

export const TRAINING_JOBS = [
  StartTrainingJobHandler,
  StopTrainingJobHandler,
  EstimateTrainingHandler,
  Deployments,
  LiveProgress,
  ToldByRunners,
  DeleteTrainingJobHandler,
  ExportModelHandler,
  GetDownloadHandler,
  GetTrainingCheckpointsHandler,
  GetTrainingJobHandler,
  GetTrainingLogsHandler,
  ListExportsHandler,
  ListTrainedModelsHandler,
  ListTrainingJobsHandler,
  ModelArchives,
];
