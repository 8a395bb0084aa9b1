import { Module } from '@nestjs/common';
import { ModelResolver } from './base-model.js';
import { StartTrainingJobHandler, StopTrainingJobHandler } from './commands.js';
import { DatasetClaims } from './datasets.js';
import { DeleteTrainingJobHandler } from './delete.js';
import { Deployments } from './deployments.js';
import { GetDownloadHandler } from './download.js';
import { EstimateTrainingHandler } from './estimate.js';
import { ExportModelHandler, ListExportsHandler } from './exports.js';
import { LiveJobs } from './live.js';
import { LiveProgress } from './live-progress.js';
import { ModelArchives } from './model-archives.js';
import {
  GetTrainingCheckpointsHandler,
  GetTrainingJobHandler,
  GetTrainingLogsHandler,
  ListTrainedModelsHandler,
  ListTrainingJobsHandler,
} from './queries.js';
import { ToldByRunners } from './told-by-runners.js';
import { TrainingJobsController } from './training-jobs.controller.js';

@Module({
  controllers: [TrainingJobsController],
  providers: [
    DatasetClaims,
    DeleteTrainingJobHandler,
    Deployments,
    EstimateTrainingHandler,
    ExportModelHandler,
    GetDownloadHandler,
    GetTrainingCheckpointsHandler,
    GetTrainingJobHandler,
    GetTrainingLogsHandler,
    ListExportsHandler,
    ListTrainedModelsHandler,
    ListTrainingJobsHandler,
    LiveJobs,
    LiveProgress,
    ModelArchives,
    ModelResolver,
    StartTrainingJobHandler,
    StopTrainingJobHandler,
    ToldByRunners,
  ],
  exports: [DatasetClaims, LiveProgress, ModelResolver],
})
export class TrainingJobsModule {}
