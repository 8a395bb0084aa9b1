import type { Application } from '#application/application.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { openVersions, type OpenVersion, type OpenVersions } from '../open-versions.js';
import { DEFAULT_OPTIONS, VersionProcessor, type ProcessingOptions } from '#rows/processing/process-version.js';

/** Limit per worker. */
const MAX_AT_ONCE = 2;

/** Turns sealed uploads into ready or failed versions, a few at a time, workspaces in turns, of each the oldest first. */
export function datasetProcessing(
  application: Application,
  options: Partial<ProcessingOptions> = {},
): ProcessManager<OpenVersions, OpenVersion> {
  const processor = new VersionProcessor(application, { ...DEFAULT_OPTIONS, ...options });
  const slots = new FairSlots(MAX_AT_ONCE);
  return {
    name: 'dataset-processing',
    ...openVersions('dataset-version-sealed.v1', [
      'dataset-version-ready.v1',
      'dataset-version-failed.v1',
      'dataset-version-deleted.v1',
    ]),
    execute: ({ stream, versionId, workspaceId }, signal) =>
      slots.run(workspaceId, async () => {
        if (!signal.aborted) await processor.process(stream, versionId, signal);
      }),
  };
}
