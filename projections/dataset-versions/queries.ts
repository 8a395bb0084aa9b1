import { Documents } from '#log/projector/documents.js';
import type { FilePurpose } from '#domain/dataset/index.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { datasetVersions, type DatasetVersionDocument } from './projection.js';

export const datasetVersionDocuments = new Documents<DatasetVersionDocument>(datasetVersions);

const MAX_VERSIONS = 100_000;
const MAX_LISTED = 10_000;

/** Versions of a dataset that are not deleted, newest first. */
export const versionsNamed = (
  store: ReadStoreQueries,
  workspaceId: string,
  name: string,
): Promise<readonly DatasetVersionDocument[]> =>
  datasetVersionDocuments.find(store, {
    where: { workspaceId, name, deleted: false },
    order: { field: 'versionNumber', direction: 'descending' },
    limit: MAX_VERSIONS,
  });

/** Versions of a workspace, those last changed first: the deleted ones, or the others. */
export const versionsOf = (
  store: ReadStoreQueries,
  workspaceId: string,
  deleted: boolean,
): Promise<readonly DatasetVersionDocument[]> =>
  datasetVersionDocuments.find(store, {
    where: { workspaceId, deleted },
    order: { field: 'updatedAt', direction: 'descending' },
    limit: MAX_LISTED,
  });

/** A page of the undeleted versions of a workspace, by id, which is by the time of their creation. */
export async function pageOfFiles(
  store: ReadStoreQueries,
  workspaceId: string,
  { after, limit, order, purpose }: FilePage,
): Promise<readonly DatasetVersionDocument[]> {
  const bound = order === 'ascending' ? 'from' : 'to';
  const found = await datasetVersionDocuments.find(store, {
    where: { workspaceId, deleted: false, ...(purpose !== 'any' && { purpose }) },
    ...(after !== null && { range: { field: 'id', [bound]: after } }),
    order: { field: 'id', direction: order },
    // Bounds are inclusive.
    limit: after === null ? limit : limit + 1,
  });
  return found.filter(({ id }) => id !== after).slice(0, limit);
}

interface FilePage {
  /** The id of the last version of the page before, which may be deleted by now; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
  readonly order: 'ascending' | 'descending';
  /** null: examples. */
  readonly purpose: FilePurpose | null | 'any';
}

/** Versions that are not deleted, by id. */
export async function versionsByIds(
  store: ReadStoreQueries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DatasetVersionDocument>> {
  if (ids.length === 0) return new Map();
  const found = await datasetVersionDocuments.find(store, { where: { id: ids }, limit: ids.length });
  return new Map(found.filter(({ deleted }) => !deleted).map((version) => [version.id, version]));
}

/** Number of versions of a workspace that are still to become ready or to fail. */
export const unfinishedVersions = (store: ReadStoreQueries, workspaceId: string): Promise<number> =>
  datasetVersionDocuments.count(store, { where: { workspaceId, status: UNFINISHED } });

const UNFINISHED: readonly DatasetVersionDocument['status'][] = [
  'importing',
  'merging',
  'uploading',
  'converting',
  'validating',
];
