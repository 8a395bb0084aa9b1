import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { api, body, type Schema } from '../../api/client.js';
import type { Filters } from '../../components/use-filters.js';

export type Call = Schema['InferenceRecord'];

const PAGE = 100;

/** Recorded calls, newest first, page after page. */
export const useCalls = (filters: Filters): UseInfiniteQueryResult<InfiniteData<Schema['InferencePage']>> =>
  useInfiniteQuery({
    queryKey: ['calls', filters],
    queryFn: ({ pageParam, signal }) =>
      body(
        api.GET('/inferences', {
          params: { query: { ...queryOf(filters), limit: PAGE, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** Times of the address are in the time zone of the browser. What is no time goes as it is, and the API says so. */
const queryOf = (filters: Filters): Filters =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      name === 'since' || name === 'until' ? moment(value) : value,
    ]),
  );

function moment(value = ''): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}
