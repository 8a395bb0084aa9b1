import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { generationJobs, type GenerationJobDocument } from './projection.js';

export const generationJobDocuments = new Documents<GenerationJobDocument>(generationJobs);

/** Generation jobs of a workspace that have not ended. */
export const openGenerationJobs = (store: ReadStoreQueries, workspaceId: string): Promise<number> =>
  generationJobDocuments.count(store, { where: { workspaceId, status: ['queued', 'generating'] } });
