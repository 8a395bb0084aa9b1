import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { evaluations, type EvaluationDocument } from './projection.js';

export const evaluationDocuments = new Documents<EvaluationDocument>(evaluations);

interface EvaluationFilter {
  readonly trainingJobId?: string | undefined;
  readonly modelId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly datasetName?: string | undefined;
  readonly status?: string | undefined;
}

/** A workspace's evaluations, newest first. */
export function pageOfEvaluations(
  store: ReadStoreQueries,
  workspaceId: string,
  { trainingJobId, modelId, projectId, datasetName, status }: EvaluationFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<EvaluationDocument>> {
  // An index serves each of the first three alone; the others are looked at one by one.
  const indexed = given({ trainingJobId, modelId, projectId });
  const others = [...indexed.slice(1), ...given({ datasetName, status })];
  return evaluationDocuments.page(store, {
    where: { workspaceId, ...Object.fromEntries(indexed.slice(0, 1)) },
    ...(others.length > 0 && { filter: { where: Object.fromEntries(others) } }),
    order: { field: 'createdAt', direction: 'descending' },
    ...page,
  });
}

const given = (conditions: EvaluationFilter): readonly [string, string][] =>
  Object.entries(conditions).flatMap(([field, value]) => (typeof value === 'string' ? [[field, value]] : []));

/** Evaluations of a workspace that have not ended. */
export const openEvaluations = (store: ReadStoreQueries, workspaceId: string): Promise<number> =>
  evaluationDocuments.count(store, { where: { workspaceId, status: ['queued', 'running'] } });
