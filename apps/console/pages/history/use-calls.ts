import { keepPreviousData, useQueries, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { momentsOf } from '../../components/moments.js';
import type { Filters } from '../../components/use-filters.js';

export type Call = Schema['InferenceRecord'];

/** Some three screens: a page of calls with their contents takes a slow network a while. */
const PAGE = 50;
/** Pages that are out of sight are let go of after so long: a walk through a million calls holds few of them. */
const KEPT_MS = 20_000;
/** A range of rows that is only scrolled past is not fetched. */
const SETTLED_MS = 60;

/** How many calls the filters select, and their number when the list was opened. */
export function useTotal(filters: Filters): UseQueryResult<number> {
  const queries = useQueryClient();
  const queryKey = ['calls', 'total', filters];
  return useQuery({
    queryKey,
    queryFn: async () => {
      if (queries.getQueryData(queryKey) !== undefined) return (await page(filters, 0, 1)).total;
      // The first answer is the first page of the list as well.
      const { inferences, total } = await page(filters, 0, PAGE);
      queries.setQueryData(pageKey(filters, total, 0), inferences);
      return total;
    },
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

const pageKey = (filters: Filters, opened: number, number: number) => ['calls', 'page', filters, opened, number];

/** How many of them are newer than a time: the place of the first one before it. */
export const placeOf = async (filters: Filters, since: string): Promise<number> =>
  (await page({ ...filters, since }, 0, 1)).total;

interface Window {
  /** Number of calls when the list was opened: later ones come before all others, and shift nothing. */
  readonly opened: number;
  /** Places of the first and the last row in sight; the newest call has 0. */
  readonly first: number;
  readonly last: number;
}

/** The visible calls and those around them, by their places; others are neither fetched nor kept. */
export function useCalls(filters: Filters, { opened, first, last }: Window) {
  const settled = useSettled(`${Math.floor(first / PAGE)} ${Math.floor(last / PAGE)}`);
  const [from = 0, to = 0] = settled.split(' ').map(Number);
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const pages = useQueries({
    queries: numbers.map((number) => ({
      queryKey: pageKey(filters, opened, number),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => pageOf(filters, opened, number, signal),
      staleTime: Infinity,
      gcTime: KEPT_MS,
    })),
  });
  return {
    callAt: (place: number): Call | undefined => pages[Math.floor(place / PAGE) - from]?.data?.[place % PAGE],
    error: pages.find(({ error }) => error)?.error ?? null,
    retry: () => pages.forEach((each) => each.error && void each.refetch()),
  };
}

/** A page as of the opening of the list, without newer calls. */
async function pageOf(filters: Filters, opened: number, number: number, signal: AbortSignal): Promise<readonly Call[]> {
  let came = 0;
  for (;;) {
    const { inferences, total } = await page(filters, Math.max(0, number * PAGE + came), PAGE, signal);
    if (total - opened === came) return inferences;
    came = total - opened;
  }
}

const page = (filters: Filters, offset: number, limit: number, signal?: AbortSignal) =>
  body(
    api.GET('/inferences', {
      params: { query: { ...momentsOf(filters), limit, offset } },
      ...(signal && { signal }),
    }),
  );

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
