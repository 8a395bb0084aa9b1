import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { trainingJobs, type TrainingJobDocument, type TrainingJobStatus } from './projection.js';

export const trainingJobDocuments = new Documents<TrainingJobDocument>(trainingJobs);

/** Jobs whose model can be called. */
export const SERVABLE: readonly TrainingJobStatus[] = ['complete', 'deployed'];
const OPEN: readonly TrainingJobStatus[] = ['requested', 'running'];

interface TrainingJobFilter {
  readonly projectId?: string | undefined;
  /** Jobs with any of these statuses. */
  readonly status?: string | readonly TrainingJobStatus[] | undefined;
}

/** A workspace's jobs, newest first. */
export const pageOfTrainingJobs = (
  store: ReadStoreQueries,
  workspaceId: string,
  { projectId, status }: TrainingJobFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<TrainingJobDocument>> =>
  trainingJobDocuments.page(store, {
    where: { workspaceId, ...(projectId !== undefined && { projectId }), ...(status !== undefined && { status }) },
    order: NEWEST_FIRST,
    ...page,
  });

const NEWEST_FIRST = { field: 'createdAt', direction: 'descending' } as const;
/** A workspace's jobs that follow another one in that order; null for the first. */
export async function trainingJobsAfter(
  store: ReadStoreQueries,
  workspaceId: string,
  last: Pick<TrainingJobDocument, 'id' | 'createdAt'> | null,
  limit: number,
): Promise<readonly TrainingJobDocument[]> {
  if (last === null) return trainingJobDocuments.find(store, { where: { workspaceId }, order: NEWEST_FIRST, limit });
  const { createdAt } = last;
  const ofThatTime = await trainingJobDocuments.find(store, {
    where: { workspaceId, createdAt },
    order: { field: 'createdAt', direction: 'descending' },
    limit: MAX_OF_ONE_TIME,
  });
  // Jobs of the same millisecond are ordered by id, and the previous page may hold some of them.
  const offset = ofThatTime.findIndex(({ id }) => id === last.id) + 1;
  const range = { field: 'createdAt', to: createdAt } as const;
  return trainingJobDocuments.find(store, { where: { workspaceId }, range, order: NEWEST_FIRST, limit, offset });
}

const MAX_OF_ONE_TIME = 1000;
const MAX_SERVABLE = 10_000;

/** A workspace's jobs whose model can be called, newest first. */
export const servableJobs = (store: ReadStoreQueries, workspaceId: string): Promise<readonly TrainingJobDocument[]> =>
  trainingJobDocuments.find(store, {
    where: { workspaceId, status: SERVABLE },
    order: NEWEST_FIRST,
    limit: MAX_SERVABLE,
  });

/** Jobs of a workspace that have not ended. */
export const openTrainingJobs = (store: ReadStoreQueries, workspaceId: string): Promise<number> =>
  trainingJobDocuments.count(store, { where: { workspaceId, status: OPEN } });
