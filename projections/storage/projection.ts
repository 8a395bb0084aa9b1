import type { DatasetEvent } from '#domain/dataset/index.js';
import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { StoredFolder, TrainingJobEvent } from '#domain/training-job/index.js';
import type { RecordedEvent } from '#event-store/port.js';
import type { Projection } from '#projector/projection.js';

/** What one dataset version, training job or evaluation has in the object store. */
export type StorageDocument = {
  /** That of the version, job or evaluation. */
  readonly id: string;
  readonly workspaceId: string | null;
  /** Id of the stream that it is in. */
  readonly stream: string;
  /** Files that are stored once each, in bytes: a version's `source` and `rows`; a job's by checkpoint. */
  readonly files: Readonly<Record<string, number>>;
  /** What counts towards the quota: nothing of it once it is deleted. */
  readonly bytes: number;
  readonly rows: number;
  /** Bytes of a deleted version that are kept, to be restored. */
  readonly keptBytes: number;
  /** Of a version; null: it is not deleted. */
  readonly deletedAt: string | null;
  /** Rows of the version, whether deleted or not. */
  readonly rowCount: number;
};

type Stored = DatasetEvent | TrainingJobEvent | EvaluationEvent;

export const storage: Projection<StorageDocument> = {
  name: 'storage',
  version: 1,
  handles: [
    'dataset-version-sealed.v1',
    'dataset-version-ready.v1',
    'dataset-version-deleted.v1',
    'dataset-version-restored.v1',
    'dataset-version-purged.v1',
    'training-job-requested.v1',
    'training-checkpoint-saved.v1',
    'training-checkpoint-deleted.v1',
    'training-job-completed.v1',
    'training-job-deleted.v1',
    'evaluation-completed.v1',
    'evaluation-deleted.v1',
  ],
  indexes: [{ fields: ['workspaceId', 'bytes', 'rows', 'keptBytes'] }, { fields: ['workspaceId', 'deletedAt'] }],
  key: ({ data }) => (data['versionId'] ?? data['jobId'] ?? data['evaluationId']) as string,
  apply(document, recorded) {
    const event = recorded as unknown as Stored;
    const before = document ?? nothing(recorded);
    switch (event.type) {
      case 'dataset-version-sealed.v1':
        return counted({ ...before, files: { ...before.files, source: event.data.source.size } });
      case 'dataset-version-ready.v1': {
        const { object, contents } = event.data;
        return counted({ ...before, files: { ...before.files, rows: object.size }, rowCount: contents.rows });
      }
      case 'dataset-version-deleted.v1':
        return document && counted({ ...document, deletedAt: event.data.deletedAt });
      case 'dataset-version-restored.v1':
        return document && counted({ ...document, deletedAt: null });
      case 'training-job-requested.v1':
        return event.data.startFrom ? counted(withFolder(before, 'start', event.data.startFrom.folder)) : document;
      case 'training-checkpoint-saved.v1':
        return counted(withFolder(before, event.data.checkpointId, event.data.folder));
      case 'training-checkpoint-deleted.v1': {
        const { [event.data.checkpointId]: _, ...files } = before.files;
        return counted({ ...before, files });
      }
      case 'training-job-completed.v1':
        return counted(withFolder(before, 'artifact', event.data.artifact));
      case 'evaluation-completed.v1':
        return counted({ ...before, files: { predictions: event.data.predictions.size } });
      // What is left of a deleted job or evaluation is removed at once.
      case 'training-job-deleted.v1':
      case 'evaluation-deleted.v1':
      case 'dataset-version-purged.v1':
        return null;
      default:
        return document;
    }
  },
};

const nothing = (recorded: RecordedEvent): StorageDocument => ({
  id: storage.key(recorded)!,
  workspaceId: recorded.metadata.workspaceId,
  stream: recorded.stream.slice(recorded.stream.indexOf('-') + 1),
  files: {},
  ...{ bytes: 0, rows: 0, keptBytes: 0, deletedAt: null, rowCount: 0 },
});

const withFolder = (document: StorageDocument, name: string, { files }: StoredFolder): StorageDocument => ({
  ...document,
  files: { ...document.files, [name]: files.reduce((sum, { size }) => sum + size, 0) },
});

function counted(document: StorageDocument): StorageDocument {
  const { files, rowCount, deletedAt } = document;
  const bytes = Object.values(files).reduce((sum, size) => sum + size, 0);
  return deletedAt === null
    ? { ...document, bytes, rows: rowCount, keptBytes: 0 }
    : { ...document, bytes: 0, rows: 0, keptBytes: bytes };
}
