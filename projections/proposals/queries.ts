import { Documents, type Page, type PageRequest } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { proposals, type ProposalDocument } from './projection.js';

export const proposalDocuments = new Documents<ProposalDocument>(proposals);

/** A workspace's proposals, newest first. @param status absent: of every status */
export const pageOfProposals = (
  store: ReadStoreQueries,
  workspaceId: string,
  { status, ...page }: PageRequest & { readonly status?: ProposalDocument['status'] | undefined },
): Promise<Page<ProposalDocument>> =>
  proposalDocuments.page(store, {
    where: { workspaceId, ...(status && { status }) },
    order: { field: 'proposedAt', direction: 'descending' },
    ...page,
  });

/** Proposals of a workspace that can still be confirmed. */
export const openProposals = (
  store: ReadStoreQueries,
  workspaceId: string,
  now: string,
  limit: number,
): Promise<readonly ProposalDocument[]> =>
  proposalDocuments.find(store, {
    where: { workspaceId, status: 'open' },
    filter: { ranges: [{ field: 'expiresAt', from: now }] },
    order: { field: 'proposedAt', direction: 'descending' },
    limit,
  });
