import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { modelExports, type ModelExportsDocument } from './projection.js';

export const modelExportsDocuments = new Documents<ModelExportsDocument>(modelExports);

/** Waiting and running exports of a workspace; of at most 1,000 jobs. */
export async function openExports(store: ReadStoreQueries, workspaceId: string): Promise<number> {
  const jobs = await modelExportsDocuments.find(store, { where: { workspaceId, isOpen: true }, limit: 1_000 });
  return jobs.reduce((sum, { open }) => sum + open.length, 0);
}
