import { evolveVersion, type DatasetEvent, type DatasetVersion } from '#domain/dataset/index.js';
import type { Projection } from '#projector/projection.js';

/** A dataset version as it stands; `id` is its id. Deleted ones stay, to be restored: whoever asks says which. */
export type DatasetVersionDocument = DatasetVersion & { readonly id: string; readonly deleted: boolean };

export const datasetVersions: Projection<DatasetVersionDocument> = {
  name: 'dataset-versions',
  version: 2,
  handles: [
    'dataset-version-initialized.v1',
    'dataset-version-merge-requested.v1',
    'dataset-version-import-requested.v1',
    'dataset-version-sealed.v1',
    'dataset-version-conversion-started.v1',
    'dataset-version-validation-started.v1',
    'dataset-version-processing-interrupted.v1',
    'dataset-version-ready.v1',
    'dataset-version-failed.v1',
    'dataset-version-deleted.v1',
    'dataset-version-restored.v1',
  ],
  indexes: [
    { fields: ['id'] },
    { fields: ['workspaceId', 'name', 'deleted', 'versionNumber'] },
    { fields: ['workspaceId', 'deleted', 'updatedAt'] },
    { fields: ['workspaceId', 'status'] },
  ],
  key: (recorded) => {
    const event = recorded as unknown as DatasetEvent;
    return 'versionId' in event.data ? event.data.versionId : null;
  },
  apply(document, recorded) {
    const version = evolveVersion(document && versionOf(document), recorded as unknown as DatasetEvent);
    return version && { ...version, id: version.versionId, deleted: version.status === 'deleted' };
  },
};

function versionOf({ id: _id, deleted: _deleted, ...version }: DatasetVersionDocument): DatasetVersion {
  return version;
}
