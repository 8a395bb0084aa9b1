import type { Application } from '#application/application.js';
import { Slots } from '#confined-process/index.js';
import type { DatasetEvent } from '#domain/dataset/index.js';
import type { RecordedEvent } from '#event-store/port.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import { DEFAULT_OPTIONS, VersionProcessor, type ProcessingOptions } from './process-version.js';

/** Versions whose upload is sealed and which are not ready or failed yet, by id, oldest first. */
export type OpenVersions = ReadonlyMap<string, OpenVersion>;

export interface OpenVersion {
  readonly versionId: string;
  /** Id of the dataset's stream. */
  readonly stream: string;
}

/** Of one worker; others may be at work beside it, so that it looks at more than it can take. */
const AT_ONCE = 2;
const LOOKED_AT = 16;

/** Turns sealed uploads into ready or failed versions, a few at a time, the oldest first. */
export function datasetProcessing(
  application: Application,
  options: Partial<ProcessingOptions> = {},
): ProcessManager<OpenVersions, OpenVersion> {
  const processor = new VersionProcessor(application, { ...DEFAULT_OPTIONS, ...options });
  const slots = new Slots(AT_ONCE);
  return {
    name: 'dataset-processing',
    handles: [
      'dataset-version-sealed.v1',
      'dataset-version-ready.v1',
      'dataset-version-failed.v1',
      'dataset-version-deleted.v1',
    ],
    initial: new Map(),
    evolve,
    pending: (open) => [...open.values()].slice(0, LOOKED_AT),
    key: ({ versionId }) => versionId,
    execute: ({ stream, versionId }, signal) =>
      slots.run(async () => {
        if (!signal.aborted) await processor.process(stream, versionId, signal);
      }),
  };
}

export function evolve(open: OpenVersions, recorded: RecordedEvent): OpenVersions {
  const event = recorded as unknown as DatasetEvent;
  if (event.type === 'dataset-version-sealed.v1') {
    const { versionId } = event.data;
    return new Map(open).set(versionId, { versionId, stream: recorded.stream.slice('dataset-'.length) });
  }
  if (!('versionId' in event.data) || !open.has(event.data.versionId)) return open;
  const others = new Map(open);
  others.delete(event.data.versionId);
  return others;
}
