import type { DatasetVersion, MergeSource } from '#domain/dataset/index.js';
import type { Merged } from './dto.js';

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
