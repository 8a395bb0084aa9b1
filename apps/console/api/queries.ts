import { queryOptions } from '@tanstack/react-query';
import { api, body } from './client.js';

/** A part of a page that only some visits need: it is loaded as a question like others, for whose answer the page waits. */
export const partQuery = <T>(name: string, load: () => Promise<T>) =>
  queryOptions({ queryKey: ['part', name], queryFn: load, staleTime: Infinity });

/** The names that programs call, alphabetically. */
export const modelNames = queryOptions({
  queryKey: ['models'],
  queryFn: () => body(api.GET('/models', { params: { query: { limit: 100 } } })),
});

/** Training jobs, the newest first, as Home shows them. */
export const newestJobs = queryOptions({
  queryKey: ['training-jobs', 'home'],
  queryFn: () => body(api.GET('/felix/training-jobs', { params: { query: { limit: 20 } } })),
});

/** Datasets, the newest first, as Home shows them: also those that could not be read. */
export const newestDatasets = queryOptions({
  queryKey: ['datasets', 'home'],
  queryFn: () => body(api.GET('/felix/datasets', { params: { query: { include_failed: true, limit: 50 } } })),
});

/** The last recorded call: whether there is one. */
export const lastCall = queryOptions({
  queryKey: ['inferences', 'home'],
  queryFn: () => body(api.GET('/inferences', { params: { query: { limit: 1 } } })),
});

/** A recorded call with its input and output. */
export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['call', id],
    queryFn: () => body(api.GET('/inferences/{id}', { params: { path: { id } } })),
  });

/** After how many days contents are erased. */
export const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: () => body(api.GET('/account/retention')),
});

interface OfVersion {
  readonly name: string;
  readonly version: string;
}

/** Origins of a dataset version, what was said of it, and what learned from it. */
export const versionLineage = ({ name, version }: OfVersion) =>
  body(api.GET('/lineage/datasets/{name}/{version}', { params: { path: { name, version }, query: { limit: 100 } } }));

/** The same as a graph. */
export const datasetLineage = async (of: OfVersion) => (await versionLineage(of)).graph;
