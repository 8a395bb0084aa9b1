import { Module } from '@nestjs/common';
import { ProcessUploadHandler, RequestUploadHandler } from './commands.js';
import { DatasetsController } from './datasets.controller.js';
import { DeleteDatasetHandler, DeleteVersionHandler } from './deletion.js';
import { DownloadRowsHandler } from './download.js';
import { MergeDatasetsHandler } from './merge.js';
import {
  GetReadableVersionHandler,
  GetVersionHandler,
  ListDatasetsHandler,
  ListVersionsHandler,
  PreviewRowsHandler,
} from './queries.js';

@Module({
  controllers: [DatasetsController],
  providers: [
    RequestUploadHandler,
    ProcessUploadHandler,
    MergeDatasetsHandler,
    DeleteDatasetHandler,
    DeleteVersionHandler,
    ListDatasetsHandler,
    ListVersionsHandler,
    GetVersionHandler,
    GetReadableVersionHandler,
    PreviewRowsHandler,
    DownloadRowsHandler,
  ],
})
export class DatasetsModule {}
