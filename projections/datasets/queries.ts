import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import type { DatasetType } from '#domain/dataset/index.js';
import { datasets, type DatasetDocument } from './projection.js';

export const datasetDocuments = new Documents<DatasetDocument>(datasets);

interface DatasetFilter {
  readonly datasetType?: DatasetType | undefined;
  readonly projectId?: string | undefined;
}

/** A dataset, and the id of the version that represents it in a list. */
interface ListedDataset {
  readonly versionId: string;
  readonly versionCount: number;
}

/**
 * A workspace's datasets, those with the newest version first.
 * @param view whether failed versions may represent them (`newest`) or not (`shown`)
 */
export async function pageOfDatasets(
  store: ReadStoreQueries,
  workspaceId: string,
  view: 'newest' | 'shown',
  { datasetType, projectId }: DatasetFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Page<ListedDataset>> {
  const where = {
    workspaceId,
    ...(view === 'shown' ? { shown: true } : { present: true }),
    ...(datasetType !== undefined && { [`${view}Type`]: datasetType }),
    ...(projectId !== undefined && { [`${view}ProjectId`]: projectId }),
  };
  const order = { field: `${view}CreatedAt`, direction: 'descending' } as const;
  const [found, total] = await Promise.all([
    limit > 0 ? datasetDocuments.find(store, { where, order, limit, offset }) : [],
    datasetDocuments.count(store, { where }),
  ]);
  const documents = found.flatMap((dataset) => {
    const versionId = dataset[`${view}Id`];
    return versionId === null ? [] : [{ versionId, versionCount: dataset.versionCount }];
  });
  return { documents, total };
}
