import { EXPORT_FORMATS, type ExportFormat } from '#domain/model-export/index.js';
import { QueryInteger, QueryOneOf, QueryText } from '../../../edge/validation/index.js';

const STATUS_FILTERS = [
  'requested',
  'running',
  'complete',
  'deployed',
  'failed',
  'cancelled',
  'pending',
  'stopped',
] as const;

export class ListTrainingJobsQuery {
  @QueryOneOf(STATUS_FILTERS) status?: (typeof STATUS_FILTERS)[number];
  @QueryText('Id of a project') project_id?: string;
  @QueryInteger({ min: 1, max: 200, default: 200 }) limit: number = 200;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

export class ListTrainedModelsQuery {
  @QueryText('Id of a project') project_id?: string;
  @QueryInteger({ min: 1, max: 1000, default: 1000 }) limit: number = 1000;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

export class TrainingLogsQuery {
  @QueryInteger({ min: 1, max: 10_000, default: 1000 }) limit: number = 1000;
  @QueryInteger({ min: 0 }, 'Returns only lines after the one with this id') after?: number;
}

export class DownloadQuery {
  @QueryOneOf(EXPORT_FORMATS, 'A completed export; default: the weights as stored')
  format?: ExportFormat;
}
