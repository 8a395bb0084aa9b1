import { VersionReports } from '#rows/report/index.js';
import { DeleteDatasetHandler, DeleteVersionHandler } from './commands/delete.js';
import { DescribeVersionHandler } from './commands/describe.js';
import { EraseVersionHandler } from './commands/erase.js';
import { MakeFromFeedbackHandler } from './commands/from-feedback.js';
import { MergeDatasetsHandler } from './commands/merge.js';
import { PullFromHubHandler } from './commands/pull.js';
import { PushVersionHandler } from './commands/push.js';
import { RestoreVersionsHandler } from './commands/restore.js';
import { ProcessUploadHandler, RequestUploadHandler } from './commands/upload.js';
import { HubConnection } from './hub-connection.js';
import { Previews } from './previews.js';
import { CompareVersionsHandler } from './queries/diff.js';
import { ListDeletedVersionsHandler } from './queries/deleted.js';
import { DownloadLeftOutHandler, DownloadRowsHandler } from './queries/download.js';
import { PreviewFromHubHandler } from './queries/hub-preview.js';
import { PreviewRowsHandler } from './queries/preview.js';
import { PreviewUploadHandler } from './queries/preview-upload.js';
import { ReportOnVersionHandler } from './queries/report.js';
import { GetVersionHandler, ListDatasetsHandler, ListVersionsHandler } from './queries/versions.js';

export const DATASETS = [
  CompareVersionsHandler,
  DeleteDatasetHandler,
  DeleteVersionHandler,
  DescribeVersionHandler,
  DownloadLeftOutHandler,
  DownloadRowsHandler,
  EraseVersionHandler,
  GetVersionHandler,
  HubConnection,
  ListDatasetsHandler,
  ListDeletedVersionsHandler,
  ListVersionsHandler,
  MakeFromFeedbackHandler,
  MergeDatasetsHandler,
  PreviewFromHubHandler,
  PreviewRowsHandler,
  Previews,
  PreviewUploadHandler,
  ProcessUploadHandler,
  PullFromHubHandler,
  PushVersionHandler,
  ReportOnVersionHandler,
  RequestUploadHandler,
  RestoreVersionsHandler,
  VersionReports,
];
