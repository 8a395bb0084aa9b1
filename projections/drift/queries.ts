import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { drift, type DriftDocument } from './projection.js';

const driftDocuments = new Documents<DriftDocument>(drift);

/** Weeks of a version with calls, newest first. @param from the earliest week */
export const weeksOfVersion = (
  store: ReadStoreQueries,
  of: Pick<DriftDocument, 'workspaceId' | 'modelName' | 'modelVersion'>,
  from: string,
  limit: number,
): Promise<readonly DriftDocument[]> =>
  driftDocuments.find(store, {
    where: of,
    range: { field: 'week', from },
    order: { field: 'week', direction: 'descending' },
    limit,
  });

/** Weeks of all versions of a model. @param from the earliest week */
export const weeksOfModel = (
  store: ReadStoreQueries,
  workspaceId: string,
  modelName: string,
  from: string,
): Promise<readonly DriftDocument[]> =>
  driftDocuments.all(store, { where: { workspaceId, modelName }, range: { field: 'week', from } });
