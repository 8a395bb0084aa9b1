import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, body, type Schema } from '../../api/client.js';

export const ACCOUNT = ['account'] as const;

/** The team's plan and credits, and the limits of the workspace. */
export const useAccount = (): UseQueryResult<Schema['AccountRecord']> =>
  useQuery({ queryKey: ACCOUNT, queryFn: () => body(api.GET('/account')) });
