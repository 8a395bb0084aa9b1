import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { cascadeDays, type CascadeDayDocument } from './projection.js';

const cascadeDayDocuments = new Documents<CascadeDayDocument>(cascadeDays);

/** Days with calls of a distilled name, oldest first. @param from the earliest day */
export const daysOfCascade = (
  store: ReadStoreQueries,
  where: Pick<CascadeDayDocument, 'workspaceId' | 'name'>,
  from: string,
): Promise<readonly CascadeDayDocument[]> =>
  cascadeDayDocuments.all(store, {
    where,
    range: { field: 'day', from },
    order: { field: 'day', direction: 'ascending' },
  });
