import { readAs } from '#rows/formats/index.js';
import { shownStatus, type ClassTask, type DatasetVersion } from '#domain/dataset/index.js';
import type { ClassTaskRecord, DatasetVersionRecord } from './dto.js';

export const classTaskRecord = ({ name, labels, multiLabel }: ClassTask): ClassTaskRecord => ({
  name,
  labels: [...labels],
  multi_label: multiLabel,
});

/** A version as clients see it. */
export function versionRecord(version: DatasetVersion): DatasetVersionRecord {
  const contents = version.status === 'ready' ? version.contents : null;
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
    ...(failure?.rowErrors && { row_errors: { ...failure.rowErrors, rows: [...failure.rowErrors.rows] } }),
    sample_size: contents?.rows ?? 0,
    size: sizeOf(version),
    labels: [...(contents?.labels ?? [])],
    ...(contents?.classTasks && { class_tasks: contents.classTasks.map(classTaskRecord) }),
    format: contents?.format ?? version.format,
    read_as: contents && readAs(contents),
    generation_type: version.generationType,
    project_id: version.projectId,
    created_at: version.createdAt,
    updated_at: version.updatedAt,
  };
}

function sizeOf(version: DatasetVersion): number {
  if (version.status === 'ready') return version.object.size;
  return 'source' in version ? (version.source?.size ?? 0) : 0;
}
