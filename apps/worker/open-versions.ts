import type { DatasetEvent } from '#domain/dataset/index.js';
import { inTurns } from '#fair-share/turns.js';
import type { ProcessManager } from '#process-manager/process-manager.js';

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
  begins: DatasetEvent['type'],
  ends: readonly DatasetEvent['type'][],
): Omit<ProcessManager<OpenVersions, OpenVersion>, 'name' | 'execute'> {
  return {
    handles: [begins, ...ends],
    initial: new Map(),
    pending: (open) => [...inTurns(open.values()).take(LOOKED_AT)],
    key: ({ versionId }) => versionId,
    workspaceOf: ({ workspaceId }) => workspaceId,
    evolve(open, recorded) {
      const { type, data } = recorded as unknown as DatasetEvent;
      if (!('versionId' in data)) return open;
      const { versionId } = data;
      if (type === begins) {
        const workspaceId = recorded.metadata.workspaceId ?? '';
        const stream = recorded.stream.slice('dataset-'.length);
        return new Map(open).set(versionId, { versionId, stream, workspaceId });
      }
      if (!open.has(versionId)) return open;
      const others = new Map(open);
      others.delete(versionId);
      return others;
    },
  };
}
