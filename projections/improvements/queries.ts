import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { improvements, type ImprovementDocument } from './projection.js';

export const improvementDocuments = new Documents<ImprovementDocument>(improvements);

interface ImprovementFilter {
  readonly workspaceId: string;
  /** Name of the model. */
  readonly name?: string;
  /** At any of these stages. */
  readonly stage?: readonly string[];
}

/** The improvements of a workspace or of one of its models, newest first. */
export const pageOfImprovements = (
  store: ReadStoreQueries,
  where: ImprovementFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<ImprovementDocument>> =>
  improvementDocuments.page(store, { where, order: { field: 'createdAt', direction: 'descending' }, ...page });
