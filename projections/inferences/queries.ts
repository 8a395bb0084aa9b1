import { Documents, type FieldRange, type Filter, type Page } from '#log/projector/documents.js';
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

/** Calls, newest first. */
interface HistoryPage extends Page<InferenceDocument> {
  /** Whether more calls come after these. */
  readonly hasMore: boolean;
}

interface Place {
  readonly limit: number;
  readonly offset: number;
  /** Selects calls that were recorded before this one, which is in the scope. */
  readonly before: InferenceDocument | null;
}

/** Whether a call is numbered in a scope. */
export const isIn = ({ where }: NumberedScope, call: InferenceDocument): boolean =>
  Object.entries(where).every(([field, value]) => call[field as keyof InferenceDocument] === value);

/**
 * Calls of a numbered scope, newest first. The newest number is the total, and a page is a range of numbers: it
 * costs the same anywhere, and stays the same while new calls arrive.
 */
export async function pageByNumber(
  store: ReadStoreQueries,
  { where, ordinal }: NumberedScope,
  { limit, offset, before }: Place,
): Promise<HistoryPage> {
  const order = { field: ordinal, direction: 'descending' } as const;
  const [newest] = await found(store, { where, range: { field: ordinal, from: 1 }, order, limit: 1 });
  const total = newest?.[ordinal] ?? 0;
  const to = (before ? before[ordinal]! - 1 : total) - offset;
  if (to < 1) return { documents: [], total, hasMore: false };
  const range = { field: ordinal, from: Math.max(1, to - limit + 1), to };
  return { documents: await found(store, { where, range, order, limit }), total, hasMore: range.from > 1 };
}

/** Calls of a workspace that match, newest first: looked for among all of them, by their numbers. */
export async function pageByFilter(
  store: ReadStoreQueries,
  workspaceId: string,
  filter: Filter<InferenceDocument>,
  { limit, offset, before }: Place,
): Promise<HistoryPage> {
  const order = { field: 'n', direction: 'descending' } as const;
  const matching = { where: { workspaceId }, filter };
  const range: FieldRange<InferenceDocument> | null = before && { field: 'n', to: before.n! - 1 };
  const [documents, total] = await Promise.all([
    found(store, { ...matching, ...(range && { range }), order, limit: limit + 1, offset }),
    inferenceDocuments.count(store, matching),
  ]);
  return { documents: documents.slice(0, limit), total, hasMore: documents.length > limit };
}

/** Calls of a workspace that match, newest first, uncounted: those before a call, or the newest. */
export const pageBefore = (
  store: ReadStoreQueries,
  workspaceId: string,
  filter: Filter<InferenceDocument>,
  { before, limit }: Pick<Place, 'before' | 'limit'>,
): Promise<readonly InferenceDocument[]> =>
  found(store, {
    ...{ where: { workspaceId }, filter, order: { field: 'n', direction: 'descending' }, limit },
    ...(before && { range: { field: 'n', to: before.n! - 1 } }),
  });

const found = async (
  store: ReadStoreQueries,
  query: Parameters<typeof inferenceDocuments.find>[1],
): Promise<readonly InferenceDocument[]> => (await inferenceDocuments.find(store, query)).filter(isInWorkspace);

const isInWorkspace = (document: StoredInference): document is InferenceDocument => document.workspaceId !== null;
