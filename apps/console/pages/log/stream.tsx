import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { Past } from './past.js';
import { Timeline } from './timeline.js';

/** A stream's events in order, and its resource as it was at each of them. */
export function Stream({ stream }: { readonly stream: string }): ReactElement {
  const events = useInfiniteQuery({
    queryKey: ['events', stream],
    queryFn: ({ pageParam }) =>
      body(api.GET('/events', { params: { query: { stream, from: pageParam, limit: 100 } } })),
    initialPageParam: 0,
    getNextPageParam: ({ next_from }) => next_from,
    refetchInterval: 10_000,
  });
  const all = events.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <>
      {all.length > 0 && <Past stream={stream} events={all} />}
      <Panel title={<span className="break-all">{stream}</span>}>
        <Problem error={events.error} retry={() => void events.refetch()} />
        {events.isPending && <Loading rows={6} />}
        {events.data && all.length === 0 && <Empty>The stream has no events.</Empty>}
        <Timeline events={all} />
        {events.hasNextPage && (
          <footer>
            <Button disabled={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
              Later events
            </Button>
          </footer>
        )}
      </Panel>
    </>
  );
}
