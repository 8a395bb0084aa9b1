import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, ApiError, body, type Schema } from './client.js';

/** Key of the query for the session. */
export const SESSION = ['session'] as const;

export type Session = Schema['SessionRecord'];

/** The signed-in user; null without a session. */
export const sessionQuery = queryOptions({ queryKey: SESSION, queryFn: findSession, staleTime: 60_000 });

export const useSession = (): UseQueryResult<Session | null> => useQuery(sessionQuery);

async function findSession(): Promise<Session | null> {
  try {
    return await body(api.GET('/auth/session'));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}
