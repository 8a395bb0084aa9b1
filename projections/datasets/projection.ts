import type { DatasetEvent, DatasetType } from '#domain/dataset/index.js';
import type { Projection } from '#projection/projection.js';

type VersionSummary = {
  readonly id: string;
  readonly number: number;
  readonly failed: boolean;
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
  /** Undeleted ones, oldest first. */
  readonly versions: readonly VersionSummary[];
  readonly versionCount: number;
  readonly shownId: string | null;
  readonly shown: boolean;
  readonly shownType: DatasetType | null;
  readonly shownProjectId: string | null;
  readonly shownCreatedAt: string | null;
  readonly newestId: string;
  readonly newestType: DatasetType;
  readonly newestProjectId: string | null;
  readonly newestCreatedAt: string;
};

export const datasets: Projection<DatasetDocument> = {
  name: 'datasets',
  version: 1,
  handles: ['dataset-version-initialized.v1', 'dataset-version-failed.v1', 'dataset-version-deleted.v1'],
  indexes: [
    { fields: ['workspaceId', 'shown', 'shownCreatedAt'] },
    { fields: ['workspaceId', 'shown', 'shownType', 'shownCreatedAt'] },
    { fields: ['workspaceId', 'shown', 'shownProjectId', 'shownCreatedAt'] },
    { fields: ['workspaceId', 'shown', 'shownType', 'shownProjectId', 'shownCreatedAt'] },
    { fields: ['workspaceId', 'newestCreatedAt'] },
    { fields: ['workspaceId', 'newestType', 'newestCreatedAt'] },
    { fields: ['workspaceId', 'newestProjectId', 'newestCreatedAt'] },
    { fields: ['workspaceId', 'newestType', 'newestProjectId', 'newestCreatedAt'] },
  ],
  key: (recorded) => recorded.stream.slice('dataset-'.length),
  apply(document, recorded) {
    const event = recorded as unknown as DatasetEvent;
    const versions = document?.versions ?? [];
    const id = recorded.stream.slice('dataset-'.length);
    switch (event.type) {
      case 'dataset-version-initialized.v1': {
        const { workspaceId, name, versionId, versionNumber, datasetType, projectId, initializedAt } = event.data;
        const added = { id: versionId, number: versionNumber, failed: false, datasetType, projectId };
        return describe({ id, workspaceId, name }, [...versions, { ...added, createdAt: initializedAt }]);
      }
      case 'dataset-version-failed.v1': {
        const failed = (version: VersionSummary) =>
          version.id === event.data.versionId ? { ...version, failed: true } : version;
        return document && describe(document, versions.map(failed));
      }
      case 'dataset-version-deleted.v1': {
        const others = versions.filter((version) => version.id !== event.data.versionId);
        return document && describe(document, others);
      }
      default:
        return document;
    }
  },
};

function describe(
  { id, workspaceId, name }: Pick<DatasetDocument, 'id' | 'workspaceId' | 'name'>,
  versions: readonly VersionSummary[],
): DatasetDocument | null {
  const newest = versions.at(-1);
  if (newest === undefined) return null;
  const shown = versions.findLast((version) => !version.failed);
  return {
    id,
    workspaceId,
    name,
    versions,
    versionCount: versions.length,
    shownId: shown?.id ?? null,
    shown: shown !== undefined,
    shownType: shown?.datasetType ?? null,
    shownProjectId: shown?.projectId ?? null,
    shownCreatedAt: shown?.createdAt ?? null,
    newestId: newest.id,
    newestType: newest.datasetType,
    newestProjectId: newest.projectId,
    newestCreatedAt: newest.createdAt,
  };
}
