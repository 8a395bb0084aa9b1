import type { Application } from '#application/application.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { openVersions, type OpenVersion, type OpenVersions } from '../open-versions.js';
import { VersionMerger } from './merge-version.js';

/** Limit per worker. */
const MAX_AT_ONCE = 4;

/** Completes every requested merge, a few at a time, workspaces in turns. */
export function datasetMerges(application: Application): ProcessManager<OpenVersions, OpenVersion> {
  const merger = new VersionMerger(application);
  const slots = new FairSlots(MAX_AT_ONCE);
  return {
    name: 'dataset-merges',
    ...openVersions('dataset-version-merge-requested.v1', [
      'dataset-version-ready.v1',
      'dataset-version-failed.v1',
      'dataset-version-deleted.v1',
    ]),
    execute: ({ stream, versionId, workspaceId }, signal) =>
      slots.run(workspaceId, async () => {
        if (!signal.aborted) await merger.merge(stream, versionId, signal);
      }),
  };
}
