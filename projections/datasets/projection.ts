import type { DatasetEvent, DatasetType } from '#domain/dataset/index.js';
import type { Projection } from '#projector/projection.js';

type VersionSummary = {
  readonly id: string;
  readonly number: number;
  readonly failed: boolean;
  readonly deleted: boolean;
  readonly datasetType: DatasetType;
  readonly projectId: string | null;
  readonly createdAt: string;
};

/**
 * A dataset by name: which of its versions a list shows. Twice, since lists may leave failed versions out (`shown...`) or
 * not (`newest...`); each is null where there is none.
 */
export type DatasetDocument = {
  /** That of its stream. */
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** Oldest first, deleted ones among them. */
  readonly versions: readonly VersionSummary[];
  /** Of undeleted ones. */
  readonly versionCount: number;
  /** There is one that is not deleted. */
  readonly present: boolean;
  readonly shownId: string | null;
  readonly shown: boolean;
  readonly shownType: DatasetType | null;
  readonly shownProjectId: string | null;
  readonly shownCreatedAt: string | null;
  readonly newestId: string | null;
  readonly newestType: DatasetType | null;
  readonly newestProjectId: string | null;
  readonly newestCreatedAt: string | null;
};

export const datasets: Projection<DatasetDocument> = {
  name: 'datasets',
  version: 2,
  handles: [
    'dataset-version-initialized.v1',
    'dataset-version-failed.v1',
    'dataset-version-deleted.v1',
    'dataset-version-restored.v1',
  ],
  indexes: [
    { fields: ['workspaceId', 'shown', 'shownCreatedAt'] },
    { fields: ['workspaceId', 'shown', 'shownType', 'shownCreatedAt'] },
    { fields: ['workspaceId', 'shown', 'shownProjectId', 'shownCreatedAt'] },
    { fields: ['workspaceId', 'shown', 'shownType', 'shownProjectId', 'shownCreatedAt'] },
    { fields: ['workspaceId', 'present', 'newestCreatedAt'] },
    { fields: ['workspaceId', 'present', 'newestType', 'newestCreatedAt'] },
    { fields: ['workspaceId', 'present', 'newestProjectId', 'newestCreatedAt'] },
    { fields: ['workspaceId', 'present', 'newestType', 'newestProjectId', 'newestCreatedAt'] },
  ],
  key: (recorded) => recorded.stream.slice('dataset-'.length),
  apply(document, recorded) {
    const event = recorded as unknown as DatasetEvent;
    const versions = document?.versions ?? [];
    const id = recorded.stream.slice('dataset-'.length);
    switch (event.type) {
      case 'dataset-version-initialized.v1': {
        const { workspaceId, name, versionId, versionNumber, datasetType, projectId, initializedAt } = event.data;
        const added = { id: versionId, number: versionNumber, failed: false, deleted: false, datasetType, projectId };
        return describe({ id, workspaceId, name }, [...versions, { ...added, createdAt: initializedAt }]);
      }
      case 'dataset-version-failed.v1':
        return document && changed(document, event.data.versionId, { failed: true });
      case 'dataset-version-deleted.v1':
        return document && changed(document, event.data.versionId, { deleted: true });
      case 'dataset-version-restored.v1':
        return document && changed(document, event.data.versionId, { deleted: false });
      default:
        return document;
    }
  },
};

const changed = (document: DatasetDocument, versionId: string, change: Partial<VersionSummary>): DatasetDocument =>
  describe(
    document,
    document.versions.map((version) => (version.id === versionId ? { ...version, ...change } : version)),
  );

function describe(
  { id, workspaceId, name }: Pick<DatasetDocument, 'id' | 'workspaceId' | 'name'>,
  versions: readonly VersionSummary[],
): DatasetDocument {
  const present = versions.filter(({ deleted }) => !deleted);
  const newest = present.at(-1);
  const shown = present.findLast(({ failed }) => !failed);
  return {
    id,
    workspaceId,
    name,
    versions,
    versionCount: present.length,
    present: newest !== undefined,
    shownId: shown?.id ?? null,
    shown: shown !== undefined,
    shownType: shown?.datasetType ?? null,
    shownProjectId: shown?.projectId ?? null,
    shownCreatedAt: shown?.createdAt ?? null,
    newestId: newest?.id ?? null,
    newestType: newest?.datasetType ?? null,
    newestProjectId: newest?.projectId ?? null,
    newestCreatedAt: newest?.createdAt ?? null,
  };
}
