import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { improvements, type ImprovementDocument } from './projection.js';

export const improvementDocuments = new Documents<ImprovementDocument>(improvements);

/** The improvements of a model, newest first. */
export const pageOfImprovements = (
  store: ReadStoreQueries,
  where: { readonly workspaceId: string; readonly name: string },
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<ImprovementDocument>> =>
  improvementDocuments.page(store, { where, order: { field: 'createdAt', direction: 'descending' }, ...page });
