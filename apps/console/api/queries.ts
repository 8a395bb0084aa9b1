import { queryOptions } from '@tanstack/react-query';
import { api, body } from './client.js';

/** The names that programs call, alphabetically. */
export const modelNames = queryOptions({
  queryKey: ['models'],
  queryFn: () => body(api.GET('/models', { params: { query: { limit: 100 } } })),
});
