import { MakeFromFeedbackHandler } from './commands/from-feedback.js';
import { VersionReports } from '#rows/report/index.js';
import { HubConnection } from './hub/connection.js';
import { DeleteDatasetHandler, DeleteVersionHandler } from './deletion/deletion.js';
import { EraseVersionHandler } from './deletion/erasure.js';
import { PreviewFromHubHandler } from './hub/preview.js';
import { PullFromHubHandler } from './hub/pull.js';
import { PushVersionHandler } from './hub/push.js';
import { MergeDatasetsHandler } from './merge/merge.js';
import { DownloadRowsHandler } from './reading/download.js';
import {
  GetReadableVersionHandler,
  GetVersionHandler,
  ListDatasetsHandler,
  ListVersionsHandler,
  PreviewRowsHandler,
} from './reading/queries.js';
import { CompareVersionsHandler } from './reports/diff.js';
import { ReportOnVersionHandler } from './reports/report.js';
import { ProcessUploadHandler, RequestUploadHandler } from './uploads/commands.js';

export const DATASETS = [
  MakeFromFeedbackHandler,
  HubConnection,
  VersionReports,
  CompareVersionsHandler,
  DeleteDatasetHandler,
  DeleteVersionHandler,
  DownloadRowsHandler,
  EraseVersionHandler,
  GetReadableVersionHandler,
  GetVersionHandler,
  ListDatasetsHandler,
  ListVersionsHandler,
  MergeDatasetsHandler,
  PreviewFromHubHandler,
  PreviewRowsHandler,
  ProcessUploadHandler,
  PullFromHubHandler,
  PushVersionHandler,
  ReportOnVersionHandler,
  RequestUploadHandler,
];
