import type { DatasetVersionEvent } from '#domain/dataset/index.js';
import { inTurns } from '#primitives/fair-share/turns.js';
import type { Recorded } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';

/** A version of a dataset with which something is still to be done. */
export interface OpenVersion {
  readonly versionId: string;
  /** Id of the dataset's stream. */
  readonly stream: string;
  readonly workspaceId: string;
}

/** By id, oldest first. */
export type OpenVersions = ReadonlyMap<string, OpenVersion>;

/** Others may be at work beside a worker, so that it looks at more than it can take. */
const LOOKED_AT = 256;

/**
 * What process managers of versions have in common: work that one event of a version asks for, and that another of the
 * same version ends.
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
