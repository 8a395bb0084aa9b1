import { Module } from '@nestjs/common';
import { DeleteTrainingJobHandler } from './weights/delete.js';
import { Deployments } from './reading/deployments.js';
import { GetDownloadHandler } from './weights/download.js';
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
    DeleteTrainingJobHandler,
    Deployments,
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
    ToldByRunners,
  ],
  exports: [LiveProgress],
})
export class TrainingJobsModule {}
