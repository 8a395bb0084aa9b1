import { Module } from '@nestjs/common';
import { ModelResolver } from './requests/base-model.js';
import { StartTrainingJobHandler, StopTrainingJobHandler } from './requests/commands.js';
import { DatasetClaims } from './requests/datasets.js';
import { DeleteTrainingJobHandler } from './weights/delete.js';
import { Deployments } from './reading/deployments.js';
import { GetDownloadHandler } from './weights/download.js';
import { EstimateTrainingHandler } from './requests/estimate.js';
import { ExportModelHandler, ListExportsHandler } from './weights/exports.js';
import { LiveJobs } from './reading/live.js';
import { LiveProgress } from './reading/live-progress.js';
import { ModelArchives } from './weights/model-archives.js';
import {
  GetTrainingCheckpointsHandler,
  GetTrainingJobHandler,
  GetTrainingLogsHandler,
  ListTrainedModelsHandler,
  ListTrainingJobsHandler,
} from './reading/queries.js';
import { ToldByRunners } from './reading/told-by-runners.js';
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
