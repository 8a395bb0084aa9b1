import { evolveVersion, type DatasetVersion, type DatasetVersionEvent } from '#domain/dataset/index.js';
import type { Projection } from '#log/projector/projection.js';

/**
 * The present state of a dataset version; `id` is its id. Deleted ones stay, so that they can be restored: queries say
 * which they want.
 */
export type DatasetVersionDocument = DatasetVersion & { readonly id: string; readonly deleted: boolean };

export const datasetVersions: Projection<DatasetVersionDocument, DatasetVersionEvent> = {
  name: 'dataset-versions',
  version: 4,
  indexes: [
    { fields: ['id'] },
    { fields: ['workspaceId', 'name', 'deleted', 'versionNumber'] },
    { fields: ['workspaceId', 'deleted', 'updatedAt'] },
    { fields: ['workspaceId', 'deleted', 'id'] },
    { fields: ['workspaceId', 'deleted', 'purpose', 'id'] },
    { fields: ['workspaceId', 'status'] },
  ],
  // Why rows were not valid quotes them.
  erases: ['dataset-version-purged.v1'],
  key: ({ data }) => data.versionId,
  on: {
    'dataset-version-initialized.v1': changed,
    'dataset-version-merge-requested.v1': changed,
    'dataset-version-import-requested.v1': changed,
    'dataset-version-sealed.v1': changed,
    'dataset-version-conversion-started.v1': changed,
    'dataset-version-validation-started.v1': changed,
    'dataset-version-processing-interrupted.v1': changed,
    'dataset-version-ready.v1': changed,
    'dataset-version-failed.v1': changed,
    'dataset-version-deleted.v1': changed,
    'dataset-version-restored.v1': changed,
    'dataset-version-purged.v1': changed,
    'dataset-version-described.v1': changed,
  },
};

function changed(document: DatasetVersionDocument | null, event: DatasetVersionEvent): DatasetVersionDocument | null {
  const version = evolveVersion(document && versionOf(document), event);
  return version && { ...version, id: version.versionId, deleted: version.status === 'deleted' };
}

function versionOf({ id: _id, deleted: _deleted, ...version }: DatasetVersionDocument): DatasetVersion {
  return version;
}
