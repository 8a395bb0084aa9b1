import { exportIdOf, jobOfExport, type ExportFormat, type ModelExportEvent } from '#domain/model-export/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import type { Projection } from '#log/projector/projection.js';

/** The exports of one trained model that wait or run. `id` is the job's id. */
export type ModelExportsDocument = {
  readonly id: string;
  readonly workspaceId: string;
  readonly open: readonly ExportFormat[];
  readonly isOpen: boolean;
};

export const modelExports: Projection<ModelExportsDocument, ModelExportEvent | TrainingJobEvent> = {
  name: 'model-exports',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'isOpen'] }],
  key: ({ data }) => ('exportId' in data ? jobOfExport(data.exportId) : data.jobId),
  on: {
    'model-export-requested.v1': (exports, { data: { jobId: id, workspaceId, format } }) =>
      withOpen({ id, workspaceId }, [...(exports?.open ?? []).filter((each) => each !== format), format]),
    'model-export-completed.v1': (exports, { data }) => withoutExport(exports, data.exportId),
    'model-export-failed.v1': (exports, { data }) => withoutExport(exports, data.exportId),
    'training-job-deleted.v1': () => null,
  },
};

const withOpen = (
  { id, workspaceId }: Pick<ModelExportsDocument, 'id' | 'workspaceId'>,
  open: readonly ExportFormat[],
): ModelExportsDocument => ({ id, workspaceId, open, isOpen: open.length > 0 });

const withoutExport = (exports: ModelExportsDocument | null, exportId: string): ModelExportsDocument | null =>
  exports &&
  withOpen(
    exports,
    exports.open.filter((format) => exportIdOf(exports.id, format) !== exportId),
  );
