import { Module } from '@nestjs/common';
import { VersionReports } from '#rows/report/index.js';
import { ProcessUploadHandler, RequestUploadHandler } from './uploads/commands.js';
import { DatasetContentsController } from './contents.controller.js';
import { DatasetsController } from './datasets.controller.js';
import { DeleteDatasetHandler, DeleteVersionHandler } from './deletion/deletion.js';
import { CompareVersionsHandler } from './reports/diff.js';
import { DownloadRowsHandler } from './reading/download.js';
import { EraseVersionHandler } from './deletion/erasure.js';
import { HubConnection } from './hub/connection.js';
import { PreviewFromHubHandler } from './hub/preview.js';
import { PullFromHubHandler } from './hub/pull.js';
import { PushVersionHandler } from './hub/push.js';
import { HubController } from './hub/hub.controller.js';
import { InferencesModule } from '../inferences/inferences.module.js';
import { MergeDatasetsHandler } from './merge/merge.js';
import {
  GetReadableVersionHandler,
  GetVersionHandler,
  ListDatasetsHandler,
  ListVersionsHandler,
  PreviewRowsHandler,
} from './reading/queries.js';
import { ReportOnVersionHandler } from './reports/report.js';

@Module({
  imports: [InferencesModule],
  controllers: [HubController, DatasetsController, DatasetContentsController],
  providers: [
    RequestUploadHandler,
    ProcessUploadHandler,
    MergeDatasetsHandler,
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
