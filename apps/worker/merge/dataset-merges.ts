import type { Application } from '#application/application.js';
import type { DatasetEvent } from '#domain/dataset/index.js';
import type { RecordedEvent } from '#event-store/port.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import { VersionMerger } from './merge-version.js';

/** Versions whose rows are still to be copied, by id, oldest first. */
export type OpenMerges = ReadonlyMap<string, OpenMerge>;

export interface OpenMerge {
  readonly versionId: string;
  /** Id of the dataset's stream. */
  readonly stream: string;
}

const LOOKED_AT = 16;

/** Takes every merge that was asked for to its end. */
export function datasetMerges(application: Application): ProcessManager<OpenMerges, OpenMerge> {
  const merger = new VersionMerger(application);
  return {
    name: 'dataset-merges',
    handles: [
      'dataset-version-merge-requested.v1',
      'dataset-version-ready.v1',
      'dataset-version-failed.v1',
      'dataset-version-deleted.v1',
    ],
    initial: new Map(),
    evolve,
    pending: (open) => [...open.values()].slice(0, LOOKED_AT),
    key: ({ versionId }) => versionId,
    execute: ({ stream, versionId }, signal) => merger.merge(stream, versionId, signal),
  };
}

export function evolve(open: OpenMerges, recorded: RecordedEvent): OpenMerges {
  const event = recorded as unknown as DatasetEvent;
  if (event.type === 'dataset-version-merge-requested.v1') {
    const { versionId } = event.data;
    return new Map(open).set(versionId, { versionId, stream: recorded.stream.slice('dataset-'.length) });
  }
  if (!('versionId' in event.data) || !open.has(event.data.versionId)) return open;
  const others = new Map(open);
  others.delete(event.data.versionId);
  return others;
}
