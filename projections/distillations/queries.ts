import { Documents, type Page, type PageRequest } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { distillations, type DistillationDocument } from './projection.js';

export const distillationDocuments = new Documents<DistillationDocument>(distillations);

/** The distillations of a workspace or of one of its models, newest first. */
export const pageOfDistillations = (
  store: ReadStoreQueries,
  where: { readonly workspaceId: string; readonly name?: string },
  page: PageRequest,
): Promise<Page<DistillationDocument>> =>
  distillationDocuments.page(store, { where, order: { field: 'createdAt', direction: 'descending' }, ...page });
