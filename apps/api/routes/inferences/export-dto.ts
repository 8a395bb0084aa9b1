import { QueryOneOf } from '../../edge/validation/index.js';
import { InferenceFilters } from './filters-dto.js';

const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export class ExportInferencesQuery extends InferenceFilters {
  @QueryOneOf(EXPORT_FORMATS, 'Default: jsonl.') format?: ExportFormat;
}
