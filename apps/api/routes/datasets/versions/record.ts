import { readAs } from '#rows/formats/index.js';
import { shownStatus, type DatasetVersion } from '#domain/dataset/index.js';
import type { DatasetVersionRecord } from './dto.js';

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
