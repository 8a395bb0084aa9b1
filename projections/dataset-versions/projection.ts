import { evolveVersion, type DatasetEvent, type DatasetVersion } from '#domain/dataset/index.js';
import type { Projection } from '#projection/projection.js';

/** A dataset version as it stands; `id` is its id. Deleted ones are gone. */
export type DatasetVersionDocument = DatasetVersion & { readonly id: string };

export const datasetVersions: Projection<DatasetVersionDocument> = {
  name: 'dataset-versions',
  version: 1,
  handles: [
    'dataset-version-initialized.v1',
    'dataset-version-sealed.v1',
    'dataset-version-conversion-started.v1',
    'dataset-version-validation-started.v1',
    'dataset-version-processing-interrupted.v1',
    'dataset-version-ready.v1',
    'dataset-version-failed.v1',
    'dataset-version-deleted.v1',
  ],
  indexes: [{ fields: ['id'] }, { fields: ['workspaceId', 'name', 'versionNumber'] }],
  key: (recorded) => {
    const event = recorded as unknown as DatasetEvent;
    return 'versionId' in event.data ? event.data.versionId : null;
  },
  apply(document, recorded) {
    const version = evolveVersion(document, recorded as unknown as DatasetEvent);
    return version === null || version.status === 'deleted' ? null : { ...version, id: version.versionId };
  },
};
