import { Module } from '@nestjs/common';
import { VersionReports } from '#dataset-report/index.js';
import { ProcessUploadHandler, RequestUploadHandler } from './commands.js';
import { DatasetsController } from './datasets.controller.js';
import { DeleteDatasetHandler, DeleteVersionHandler } from './deletion.js';
import { CompareVersionsHandler } from './diff.js';
import { DownloadRowsHandler } from './download.js';
import { EraseVersionHandler } from './erasure.js';
import { HubConnection } from './hub-connection.js';
import { PreviewFromHubHandler } from './hub-preview.js';
import { PullFromHubHandler } from './hub-pull.js';
import { PushVersionHandler } from './hub-push.js';
import { HubController } from './hub.controller.js';
import { InferencesModule } from '../inferences/inferences.module.js';
import { FeedbackMerging } from './feedback-merging.js';
import { MakeFromFeedbackHandler } from './from-feedback.js';
import { MergeDatasetsHandler } from './merge.js';
import {
  GetReadableVersionHandler,
  GetVersionHandler,
  ListDatasetsHandler,
  ListVersionsHandler,
  PreviewRowsHandler,
} from './queries.js';
import { ReportOnVersionHandler } from './report.js';

@Module({
  imports: [InferencesModule],
  controllers: [HubController, DatasetsController],
  providers: [
    RequestUploadHandler,
    ProcessUploadHandler,
    MergeDatasetsHandler,
    MakeFromFeedbackHandler,
    FeedbackMerging,
    HubConnection,
    PushVersionHandler,
    PullFromHubHandler,
    PreviewFromHubHandler,
    DeleteDatasetHandler,
    DeleteVersionHandler,
    EraseVersionHandler,
    ListDatasetsHandler,
    ListVersionsHandler,
    GetVersionHandler,
    GetReadableVersionHandler,
    PreviewRowsHandler,
    DownloadRowsHandler,
    VersionReports,
    ReportOnVersionHandler,
    CompareVersionsHandler,
  ],
})
export class DatasetsModule {}
