import { readAs } from '#dataset-formats/index.js';
import { shownStatus, type DatasetVersion, type MergeSource } from '#domain/dataset/index.js';
import type { DatasetVersionRecord } from './dto.js';
import type { Merged } from './merge-dto.js';

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

/** A merged version in its answer. A name that occurs twice among the sources counts once, with all rows. */
export function mergedRecord(version: DatasetVersion, sources: readonly MergeSource[]): Merged {
  const counts = new Map<string, number>();
  for (const { name, rows } of sources) counts.set(name, (counts.get(name) ?? 0) + rows);
  return {
    dataset_name: version.name,
    version: String(version.versionNumber),
    sample_size: sources.reduce((sum, { rows }) => sum + rows, 0),
    // Names come from people: `__proto__` is one that is allowed.
    source_counts: Object.fromEntries(counts),
  };
}

function sizeOf(version: DatasetVersion): number {
  if (version.status === 'ready') return version.object.size;
  return 'source' in version ? (version.source?.size ?? 0) : 0;
}
