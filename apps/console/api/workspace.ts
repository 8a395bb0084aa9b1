import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, body, type Schema } from './client.js';

export const WORKSPACE = ['workspace'] as const;

export type Act = Schema['WorkspaceRecord']['two_people'][number];

export const useWorkspace = (): UseQueryResult<Schema['WorkspaceRecord']> =>
  useQuery({ queryKey: WORKSPACE, queryFn: () => body(api.GET('/workspace')) });

/** Whether an act is only proposed, and another person confirms it. */
export const useProposes = (...acts: readonly Act[]): boolean =>
  useWorkspace().data?.two_people.some((act) => acts.includes(act)) ?? false;
