import type { DatasetVersionEvent } from '#domain/dataset/index.js';
import { inTurns } from '#primitives/fair-share/turns.js';
import type { Recorded } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';

/** A version of a dataset with work left to do. */
export interface OpenVersion {
  readonly versionId: string;
  /** Id of the dataset's stream. */
  readonly stream: string;
  readonly workspaceId: string;
}

/** Open versions by id, oldest first. */
export type OpenVersions = ReadonlyMap<string, OpenVersion>;

/** Versions considered per step: more than a worker can take, since other workers may have taken some. */
const LOOKED_AT = 256;

/**
 * The part that process managers of versions share: one event of a version opens work, and another event of that
 * version ends it.
 */
export function openVersions(
  begins: DatasetVersionEvent['type'],
  ends: readonly DatasetVersionEvent['type'][],
): Omit<ProcessManager<OpenVersions, OpenVersion, DatasetVersionEvent>, 'name' | 'execute'> {
  return {
    initial: new Map(),
    on: { ...Object.fromEntries(ends.map((type) => [type, without])), [begins]: withVersion },
    pending: (open) => [...inTurns(open.values()).take(LOOKED_AT)],
    key: ({ versionId }) => versionId,
    workspaceOf: ({ workspaceId }) => workspaceId,
  };
}

function withVersion(open: OpenVersions, { stream, data, metadata }: Recorded<DatasetVersionEvent>): OpenVersions {
  const { versionId } = data;
  const workspaceId = metadata.workspaceId ?? '';
  return new Map(open).set(versionId, { versionId, stream: stream.slice('dataset-'.length), workspaceId });
}

function without(open: OpenVersions, { data: { versionId } }: DatasetVersionEvent): OpenVersions {
  if (!open.has(versionId)) return open;
  const others = new Map(open);
  others.delete(versionId);
  return others;
}
