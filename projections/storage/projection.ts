import type { DatasetVersionEvent } from '#domain/dataset/index.js';
import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { ModelExportEvent } from '#domain/model-export/index.js';
import type { StoredFolder, TrainingJobEvent } from '#domain/training-job/index.js';
import type { Recorded } from '#log/projector/handlers.js';
import type { Projection } from '#log/projector/projection.js';

/** The objects of one dataset version, training job or evaluation. */
export type StorageDocument = {
  /** Id of the version, job or evaluation. */
  readonly id: string;
  readonly workspaceId: string | null;
  /** Id of the stream that it is in. */
  readonly stream: string;
  /** Files that are stored once each, in bytes: a version's `source` and `rows`; a job's by checkpoint. */
  readonly files: Readonly<Record<string, number>>;
  /** Bytes that count towards the quota; 0 once it is deleted. */
  readonly bytes: number;
  readonly rows: number;
  /** Bytes of a deleted version that are kept, to be restored. */
  readonly keptBytes: number;
  /** Deletion time of a version; null if it is not deleted. */
  readonly deletedAt: string | null;
  /** Rows of the version, whether deleted or not. */
  readonly rowCount: number;
};

type ExportCompleted = Extract<ModelExportEvent, { type: 'model-export-completed.v1' }>;
type Stored = DatasetVersionEvent | TrainingJobEvent | EvaluationEvent | ExportCompleted;

export const storage: Projection<StorageDocument, Stored> = {
  name: 'storage',
  version: 3,
  indexes: [{ fields: ['workspaceId', 'bytes', 'rows', 'keptBytes'] }, { fields: ['workspaceId', 'deletedAt'] }],
  key: ({ data }) => ownerOf(data),
  on: {
    'dataset-version-sealed.v1': (document, event) =>
      withFiles(document ?? none(event), { source: event.data.source.size }),
    'dataset-version-ready.v1': (document, event) => {
      const { object, contents, leftOut } = event.data;
      const files = { rows: object.size, ...(leftOut && { 'left-out': leftOut.list.size }) };
      return withFiles({ ...(document ?? none(event)), rowCount: contents.rows }, files);
    },
    'dataset-version-deleted.v1': (document, { data: { deletedAt } }) =>
      document && counted({ ...document, deletedAt }),
    'dataset-version-restored.v1': (document) => document && counted({ ...document, deletedAt: null }),
    'training-job-requested.v1': (document, event) => {
      const { startFrom } = event.data;
      return startFrom ? withFiles(document ?? none(event), { start: sizeOf(startFrom.folder) }) : document;
    },
    'training-checkpoint-saved.v1': (document, event) => {
      const { checkpointId, folder } = event.data;
      return withFiles(document ?? none(event), { [checkpointId]: sizeOf(folder) });
    },
    'training-checkpoint-deleted.v1': (document, event) => {
      const before = document ?? none(event);
      const { [event.data.checkpointId]: _, ...files } = before.files;
      return counted({ ...before, files });
    },
    'training-job-completed.v1': (document, event) =>
      withFiles(document ?? none(event), { artifact: sizeOf(event.data.artifact) }),
    // A deleted job has no document, and soon no object.
    'model-export-completed.v1': (document, { data: { format, archive } }) =>
      document && withFiles(document, { [`export/${format}`]: archive.size }),
    'evaluation-completed.v1': (document, event) => {
      const { size, totalSize = size } = event.data.predictions;
      return withFiles(document ?? none(event), { predictions: totalSize });
    },
    // The objects of a deleted job or evaluation are removed immediately.
    'training-job-deleted.v1': () => null,
    'evaluation-predictions-erased.v1': () => null,
    'evaluation-deleted.v1': () => null,
    'dataset-version-purged.v1': () => null,
  },
};

const ownerOf = (data: Stored['data']): string =>
  'versionId' in data ? data.versionId : 'jobId' in data ? data.jobId : data.evaluationId;

const none = ({ data, stream, metadata }: Recorded<Stored>): StorageDocument => ({
  id: ownerOf(data),
  workspaceId: metadata.workspaceId,
  stream: stream.slice(stream.indexOf('-') + 1),
  files: {},
  ...{ bytes: 0, rows: 0, keptBytes: 0, deletedAt: null, rowCount: 0 },
});

const withFiles = (document: StorageDocument, files: StorageDocument['files']): StorageDocument =>
  counted({ ...document, files: { ...document.files, ...files } });

const sizeOf = ({ files }: StoredFolder): number => files.reduce((sum, { size }) => sum + size, 0);

function counted(document: StorageDocument): StorageDocument {
  const { files, rowCount, deletedAt } = document;
  const bytes = Object.values(files).reduce((sum, size) => sum + size, 0);
  return deletedAt === null
    ? { ...document, bytes, rows: rowCount, keptBytes: 0 }
    : { ...document, bytes: 0, rows: 0, keptBytes: bytes };
}
