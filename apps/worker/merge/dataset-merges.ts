import type { Application } from '#application/application.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import { openVersions, type OpenVersion, type OpenVersions } from '../open-versions.js';
import { VersionMerger } from './merge-version.js';

/** Takes every merge that was asked for to its end. */
export function datasetMerges(application: Application): ProcessManager<OpenVersions, OpenVersion> {
  const merger = new VersionMerger(application);
  return {
    name: 'dataset-merges',
    ...openVersions('dataset-version-merge-requested.v1', [
      'dataset-version-ready.v1',
      'dataset-version-failed.v1',
      'dataset-version-deleted.v1',
    ]),
    execute: ({ stream, versionId }, signal) => merger.merge(stream, versionId, signal),
  };
}
