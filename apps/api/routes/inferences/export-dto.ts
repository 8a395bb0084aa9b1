import { QueryOneOf } from '../../edge/validation/index.js';
import { InferenceFilters } from './filters-dto.js';

const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const;

export class ExportInferencesQuery extends InferenceFilters {
  @QueryOneOf(EXPORT_FORMATS, 'Default: jsonl.') format?: (typeof EXPORT_FORMATS)[number];
}
