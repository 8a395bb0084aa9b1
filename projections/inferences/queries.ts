import { Documents, type Filter, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { inferences, type InferenceDocument, type StoredInference } from './projection.js';

export const inferenceDocuments = new Documents<StoredInference>(inferences);

/** A call's document; null for none, or of another workspace. */
export async function inferenceOf(
  store: ReadStoreQueries,
  workspaceId: string,
  id: string,
): Promise<InferenceDocument | null> {
  const document = await inferenceDocuments.get(store, id);
  return document?.workspaceId === workspaceId ? document : null;
}

/** A scope that numbers its documents densely: a workspace, or there a model, a job or a project. */
export interface NumberedScope {
  readonly where: {
    readonly workspaceId: string;
    readonly modelId?: string;
    readonly trainingJobId?: string;
    readonly projectId?: string;
  };
  readonly ordinal: 'n' | 'nModel' | 'nJob' | 'nProject';
}

interface Place {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Calls of a numbered scope, newest first. The newest number is the total, and a page is a range of numbers: no counting, no
 * skipping, and no shift while new calls arrive.
 */
export async function pageByNumber(
  store: ReadStoreQueries,
  { where, ordinal }: NumberedScope,
  { limit, offset }: Place,
): Promise<Page<InferenceDocument>> {
  const order = { field: ordinal, direction: 'descending' } as const;
  const [newest] = await found(store, { where, range: { field: ordinal, from: 1 }, order, limit: 1 });
  const total = newest?.[ordinal] ?? 0;
  if (offset >= total) return { documents: [], total };
  const range = { field: ordinal, from: Math.max(1, total - offset - limit + 1), to: total - offset };
  return { documents: await found(store, { where, range, order, limit }), total };
}

/** Calls of a workspace that match, newest first: looked for among all of them, by their numbers. */
export async function pageByFilter(
  store: ReadStoreQueries,
  workspaceId: string,
  filter: Filter<InferenceDocument>,
  { limit, offset }: Place,
): Promise<Page<InferenceDocument>> {
  const order = { field: 'n', direction: 'descending' } as const;
  const query = { where: { workspaceId }, filter, order, limit, offset };
  const { documents, total } = await inferenceDocuments.page(store, query);
  return { documents: documents.filter(isInWorkspace), total };
}

const found = async (
  store: ReadStoreQueries,
  query: Parameters<typeof inferenceDocuments.find>[1],
): Promise<readonly InferenceDocument[]> => (await inferenceDocuments.find(store, query)).filter(isInWorkspace);

const isInWorkspace = (document: StoredInference): document is InferenceDocument => document.workspaceId !== null;
