import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { charges, chargesId, type ChargesDocument } from './projection.js';

export const chargesDocuments = new Documents<ChargesDocument>(charges);

/** The document of one allotment in a month; null if it paid for no call. */
export const chargesPaidBy = (
  store: ReadStoreQueries,
  teamId: string,
  month: string,
  holder: string,
): Promise<ChargesDocument | null> => chargesDocuments.get(store, chargesId(teamId, month, holder));

export const chargesOfMonth = (
  store: ReadStoreQueries,
  teamId: string,
  month: string,
): Promise<readonly ChargesDocument[]> => chargesDocuments.all(store, { where: { teamId, month } });

/** Every month, oldest first. */
export const chargesOf = (store: ReadStoreQueries, teamId: string): Promise<readonly ChargesDocument[]> =>
  chargesDocuments.all(store, { where: { teamId }, order: { field: 'month', direction: 'ascending' } });
