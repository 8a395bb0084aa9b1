import { readAs } from '#rows/formats/index.js';
import {
  shownStatus,
  type ClassTask,
  type DatasetVersion,
  type LeftOut,
  type RowErrors,
  type RowReason,
} from '#domain/dataset/index.js';
import type { ClassTaskRecord, DatasetVersionRecord } from './dto.js';

export const classTaskRecord = ({ name, labels, multiLabel }: ClassTask): ClassTaskRecord => ({
  name,
  labels: [...labels],
  multi_label: multiLabel,
});

/** A version as clients see it. */
export function versionRecord(version: DatasetVersion): DatasetVersionRecord {
  const { contents = null, leftOut } = version.status === 'ready' ? version : {};
  const failure = version.status === 'failed' ? version : null;
  return {
    id: version.versionId,
    dataset_id: version.versionId,
    name: version.name,
    dataset_name: version.name,
    dataset_type: version.datasetType,
    heads: [...(contents?.heads ?? [])],
    type: version.kind,
    version_number: String(version.versionNumber),
    status: shownStatus(version),
    processing_error: failure?.reason ?? null,
    ...(failure?.rowErrors && { row_errors: errorsRecord(failure.rowErrors) }),
    sample_size: contents?.rows ?? 0,
    size: sizeOf(version),
    labels: [...(contents?.labels ?? [])],
    ...(contents?.classTasks && { class_tasks: contents.classTasks.map(classTaskRecord) }),
    format: contents?.format ?? version.format,
    read_as: contents && readAs(contents, leftOut),
    ...(leftOut && { left_out: leftOutRecord(leftOut) }),
    generation_type: version.generationType,
    project_id: version.projectId,
    ...(version.description && { description: descriptionRecord(version.description) }),
    created_at: version.createdAt,
    updated_at: version.updatedAt,
  };
}

const descriptionRecord = ({
  describedBy: by,
  describedAt: at,
  ...said
}: NonNullable<DatasetVersion['description']>) => ({
  ...said,
  ...{ by, at },
});

export const errorsRecord = ({ total, rows, reasons }: RowErrors): NonNullable<DatasetVersionRecord['row_errors']> => ({
  ...{ total, rows: [...rows] },
  ...(reasons && { reasons: reasons.map(reasonRecord) }),
});

export const leftOutRecord = ({
  rows,
  unlabelled,
  of,
  reasons,
  listed,
}: Omit<LeftOut, 'list'>): NonNullable<DatasetVersionRecord['left_out']> => ({
  ...{ rows, unlabelled, of, reasons: reasons.map(reasonRecord), listed },
});

const reasonRecord = ({ reason, rows, firstRow }: RowReason) => ({ reason, rows, first_row: firstRow });

function sizeOf(version: DatasetVersion): number {
  if (version.status === 'ready') return version.object.size;
  return 'source' in version ? (version.source?.size ?? 0) : 0;
}
