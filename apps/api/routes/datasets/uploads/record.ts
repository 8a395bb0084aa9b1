import { readAs } from '#rows/formats/index.js';
import type { PreviewedUpload } from '#use-cases/datasets/queries/preview-upload.js';
import { errorsRecord, leftOutRecord } from '../versions/record.js';
import type { UploadPreview } from './dto.js';

export function uploadPreview(previewed: PreviewedUpload): UploadPreview {
  const { contents, leftOut, rowErrors, read } = previewed;
  const { cure } = read;
  return {
    rows: previewed.rows,
    columns: previewed.columns.map(({ name, values }) => ({ name, values: [...values] })),
    rows_read: read.rows,
    whole: read.isWhole,
    processing_error: previewed.refused,
    ...(rowErrors && { row_errors: errorsRecord(rowErrors) }),
    ...(leftOut && { left_out: leftOutRecord(leftOut) }),
    left_out_rows: [...previewed.leftOutRows],
    heads: [...(contents?.heads ?? [])],
    labels: [...(contents?.labels ?? [])],
    format: contents?.format ?? null,
    read_as: contents && readAs(contents, leftOut ?? undefined),
    suggested: cure ? { column_mapping: cure.columnMapping, label_names: cure.labelNames } : null,
  };
}
