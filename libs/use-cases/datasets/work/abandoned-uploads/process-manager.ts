import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { datasetDecider, type DatasetVersionEvent } from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';

/** A version whose file has not been submitted for processing yet. */
interface OpenUpload {
  readonly versionId: string;
  /** Id of the dataset's stream. */
  readonly stream: string;
  readonly workspaceId: string;
  readonly uploadKey: string;
  /** Milliseconds since 1970. */
  readonly initializedAt: number;
}

/** Open uploads by id, oldest first. */
type OpenUploads = ReadonlyMap<string, OpenUpload>;

/** An upload's address expires after an hour; a version not processed after a day is abandoned. */
export const ABANDONED_MS = 24 * 60 * 60_000;
const MAX_AT_ONCE = 16;
const REASON = 'upload/process was not called within a day; upload the file as a new version';

/** Fails versions that were never processed, and removes their uploads. */
export function abandonedUploads(
  application: Application,
): ProcessManager<OpenUploads, OpenUpload, DatasetVersionEvent> {
  return {
    name: 'abandoned-uploads',
    initial: new Map(),
    on: {
      'dataset-version-initialized.v1'(open, { stream, data }) {
        const { versionId, workspaceId, uploadKey, initializedAt } = data;
        const upload = { versionId, stream: stream.slice('dataset-'.length), workspaceId, uploadKey };
        return new Map(open).set(versionId, { ...upload, initializedAt: Date.parse(initializedAt) });
      },
      'dataset-version-sealed.v1': without,
      'dataset-version-merge-requested.v1': without,
      'dataset-version-import-requested.v1': without,
      'dataset-version-failed.v1': without,
      'dataset-version-deleted.v1': without,
    },
    pending(open, now) {
      const abandoned: OpenUpload[] = [];
      for (const upload of open.values()) {
        if (now - upload.initializedAt < ABANDONED_MS || abandoned.length === MAX_AT_ONCE) break;
        abandoned.push(upload);
      }
      return abandoned;
    },
    key: ({ versionId }) => versionId,
    async execute({ stream, workspaceId, versionId, uploadKey }) {
      await application.ports.objectStore.delete(uploadKey);
      const context = systemContext('abandoned-uploads', workspaceId, derivedId(versionId, 'abandoned'));
      const command = { type: 'abandon-version', workspaceId, versionId, reason: REASON } as const;
      await application.execute(datasetDecider, stream, command, context).catch((error: unknown) => {
        // Deleted in the meantime.
        if (!(error instanceof NotFoundError)) throw error;
      });
    },
  };
}

function without(open: OpenUploads, { data: { versionId } }: DatasetVersionEvent): OpenUploads {
  if (!open.has(versionId)) return open;
  const others = new Map(open);
  others.delete(versionId);
  return others;
}
