import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { ledger, type LedgerDocument } from './projection.js';

export const ledgerDocuments = new Documents<LedgerDocument>(ledger);

/** A team's entries, newest first. */
export const pageOfLedger = (
  store: ReadStoreQueries,
  teamId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<LedgerDocument>> => ledgerDocuments.page(store, { ...newestFirst(teamId), ...page });

const MAX_LISTED = 10_000;

export const newestEntries = (store: ReadStoreQueries, teamId: string): Promise<readonly LedgerDocument[]> =>
  ledgerDocuments.find(store, { ...newestFirst(teamId), limit: MAX_LISTED });

const newestFirst = (teamId: string) =>
  ({ where: { teamId }, order: { field: 'at', direction: 'descending' } }) as const;
