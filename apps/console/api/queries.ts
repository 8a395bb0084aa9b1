import { queryOptions } from '@tanstack/react-query';
import { api, body } from './client.js';

/** The names that programs call, alphabetically. */
export const modelNames = queryOptions({
  queryKey: ['models'],
  queryFn: () => body(api.GET('/models', { params: { query: { limit: 100 } } })),
});

/** A recorded call with its input and output. */
export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['call', id],
    queryFn: () => body(api.GET('/inferences/{id}', { params: { path: { id } } })),
  });

/** Origins of a dataset version and what learned from it, as a graph. */
export const datasetLineage = async ({ name, version }: { readonly name: string; readonly version: string }) =>
  (
    await body(
      api.GET('/lineage/datasets/{name}/{version}', { params: { path: { name, version }, query: { limit: 100 } } }),
    )
  ).graph;
