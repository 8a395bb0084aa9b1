import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { models, type ModelDocument } from './projection.js';

export const modelDocuments = new Documents<ModelDocument>(models);

/** A workspace's models by name. */
export const pageOfModels = (
  store: ReadStoreQueries,
  workspaceId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<ModelDocument>> =>
  modelDocuments.page(store, { where: { workspaceId }, order: { field: 'name', direction: 'ascending' }, ...page });

/** Names of one workspace. */
export const MAX_NAMES = 1_000;
