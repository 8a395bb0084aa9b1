import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api, body } from '../../api/client.js';
import { fromOutput } from '../../components/editor/output.js';
import { schemaOf, type Scheme } from '../../components/scheme/scheme.js';
import { leastConfidence, type Answered } from './certainty.js';
import { textOfRow, type Row } from './row.js';

export interface Answers {
  /** By the row's index. */
  readonly answered: ReadonlyMap<number, Answered>;
  /** Whether all rows are answered. */
  readonly isComplete: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Texts of one call. */
const BATCH = 50;

interface Asked {
  /** Names the rows. */
  readonly of: readonly string[];
  /** Empty: nobody is asked. */
  readonly model: string;
  readonly scheme: Scheme;
  readonly rows: readonly Row[];
  /** Indexes of the rows to ask about. */
  readonly indexes: readonly number[];
}

/** A model's answers to many rows, batch after batch. They are asked for once, and not recorded as calls. */
export function useAnswers({ of, model, scheme, rows, indexes }: Asked): Answers {
  const query = useInfiniteQuery({
    queryKey: ['labelling', 'ahead', ...of, model, scheme],
    queryFn: async ({ pageParam, signal }) => {
      const asked = indexes.slice(pageParam, pageParam + BATCH).filter((row) => textOfRow(rows[row]!) !== '');
      if (asked.length === 0) return [];
      const text = asked.map((row) => textOfRow(rows[row]!));
      const request = { model_id: model, text, schema: schemaOf(scheme)!, store: false };
      const answer = await body(api.POST('/inference', { body: request, signal }));
      const results: readonly unknown[] =
        answer.type === 'encoder' && Array.isArray(answer.result) ? answer.result : [];
      return asked.map((row, index): readonly [number, Answered] => [
        row,
        {
          annotation: fromOutput(text[index]!, results[index], scheme),
          confidence: leastConfidence(results[index]),
        },
      ]);
    },
    initialPageParam: 0,
    getNextPageParam: (_last, _pages, from) => (from + BATCH < indexes.length ? from + BATCH : undefined),
    enabled: model !== '' && indexes.length > 0,
    staleTime: Infinity,
    retry: false,
    meta: { late: true },
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  const answered = useMemo(() => new Map(data?.pages.flat() ?? []), [data]);
  return {
    answered,
    isComplete: data !== undefined && !hasNextPage,
    error,
    retry: () => void (data ? fetchNextPage() : query.refetch()),
  };
}
