import type { DatasetEvent, DatasetType } from '#domain/dataset/index.js';
import type { Projection } from '#log/projector/projection.js';

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
 * A dataset by name: the version that a list shows. Twice, since lists may leave failed versions out (`shown...`) or
 * not (`newest...`); each is null if there is none.
 */
export type DatasetDocument = {
  /** The stream's id. */
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** Oldest first, deleted ones among them. */
  readonly versions: readonly VersionSummary[];
  /** Number of undeleted versions. */
  readonly versionCount: number;
  /** Whether there is an undeleted version. */
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

export const datasets: Projection<DatasetDocument, DatasetEvent> = {
  name: 'datasets',
  version: 2,
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
  key: ({ stream }) => idOf(stream),
  on: {
    'dataset-version-initialized.v1': (document, { stream, data }) => {
      const { workspaceId, name, versionId, versionNumber, datasetType, projectId, initializedAt } = data;
      const added = { id: versionId, number: versionNumber, failed: false, deleted: false, datasetType, projectId };
      const versions = [...(document?.versions ?? []), { ...added, createdAt: initializedAt }];
      return describe({ id: idOf(stream), workspaceId, name }, versions);
    },
    'dataset-version-failed.v1': (document, { data }) =>
      document && changed(document, data.versionId, { failed: true }),
    'dataset-version-deleted.v1': (document, { data }) =>
      document && changed(document, data.versionId, { deleted: true }),
    'dataset-version-restored.v1': (document, { data }) =>
      document && changed(document, data.versionId, { deleted: false }),
  },
};

const idOf = (stream: string): string => stream.slice('dataset-'.length);

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
