import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Check } from '../../components/field.js';
import { momentsOf } from '../../components/moments.js';
import { Panel } from '../../components/page.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { counted } from '../../components/values.js';
import { Timeline } from './timeline.js';
import { useLiveEvents } from './use-live-events.js';

/** A page has at least so many events that are shown, unless so many were read. */
const MIN_SHOWN = 20;
const MAX_READ = 500;

interface Props {
  readonly filters: Filters;
  readonly reads: boolean;
  readonly onReads: (reads: boolean) => void;
}

/** The newest events that the filters select, with new ones added on top. */
export function Recent({ filters, reads, onReads }: Props): ReactElement {
  const [isLive, setLive] = useState(true);
  const queries = useQueryClient();
  const queryKey = useMemo(() => ['log', filters], [filters]);
  const log = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => readPage(filters, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: Infinity,
  });
  const pages = log.data?.pages.flatMap(({ events }) => events) ?? [];
  const live = useLiveEvents({
    filters,
    // A filter with an end selects no new events.
    isOn: isLive && log.isSuccess && !filters['until'],
    after: pages[0]?.position,
    onFull: () => void queries.resetQueries({ queryKey }),
  });
  // Reading contents appends an event, also when this page reads them.
  const withReads = reads || filters['type'] !== undefined;
  const events = [...live.events, ...pages].filter((event) => withReads || !isRead(event));
  const hidden = live.events.length + pages.length - events.length;
  return (
    <Panel
      title={
        <>
          Events{' '}
          <span className={`badge ms-1 ${live.state === 'live' ? 'good' : ''}`} role="status">
            {live.state}
          </span>
        </>
      }
      actions={
        <Button aria-pressed={isLive} onClick={() => setLive(!isLive)}>
          {isLive ? 'Pause' : 'Go on live'}
        </Button>
      }
    >
      <Problem error={log.error} retry={() => void log.refetch()} />
      {log.isPending && <Loading rows={8} />}
      {log.isSuccess && events.length === 0 && !log.hasNextPage && (
        <Empty>No event is like this yet. Clear the filters, or do something: it shows here at once.</Empty>
      )}
      <Timeline events={events} isMixed isFlat={filters['type'] !== undefined} />
      <footer>
        {log.hasNextPage && (
          <Button disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Earlier events
          </Button>
        )}
        {filters['type'] === undefined && (
          <Check
            label={`Show also who read contents${hidden > 0 ? ` (${counted(hidden, 'event')})` : ''}`}
            checked={reads}
            onChange={onReads}
          />
        )}
      </footer>
    </Panel>
  );
}

type Event = Schema['EventRecord'];

const isRead = ({ type }: Event): boolean => type === 'contents-read.v1';

/** A page that follows `cursor`, with more behind it while it has little to show: reads of contents, which are many, are hidden. */
async function readPage(filters: Filters, cursor: string, before: readonly Event[] = []): Promise<Schema['LogPage']> {
  const page = await body(
    api.GET('/events/log', {
      params: { query: { ...momentsOf(filters), order: 'desc', limit: 50, ...(cursor && { cursor }) } },
    }),
  );
  const events = [...before, ...page.events];
  const isEnough = filters['type'] !== undefined || events.filter((event) => !isRead(event)).length >= MIN_SHOWN;
  return isEnough || !page.next_cursor || events.length >= MAX_READ
    ? { ...page, events }
    : readPage(filters, page.next_cursor, events);
}
