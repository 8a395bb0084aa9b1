import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { projects, type ProjectDocument } from './projection.js';

export const projectDocuments = new Documents<ProjectDocument>(projects);

/** A workspace's projects, newest first. */
export const pageOfProjects = (
  store: ReadStoreQueries,
  workspaceId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<ProjectDocument>> =>
  projectDocuments.page(store, {
    where: { workspaceId },
    order: { field: 'createdAt', direction: 'descending' },
    ...page,
  });
