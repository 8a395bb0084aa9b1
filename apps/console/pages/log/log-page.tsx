import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { Checkpoint } from './checkpoint.js';
import { Timeline } from './timeline.js';

/** One stream of the log as it was written, and what proves that nothing of it was changed. */
export function LogPage(): ReactElement {
  const { stream = '' }: { stream?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const open = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const chosen = textOf(new FormData(event.currentTarget), 'stream').trim();
    void navigate({ to: '/log', search: { stream: chosen } });
  };
  return (
    <Page title="Log" intro="Everything that happened is an event in a stream: of a job, a model, a dataset, a call.">
      <Panel title="Stream">
        <form onSubmit={open} className="grid gap-3">
          <Input
            key={stream}
            label="Stream"
            name="stream"
            defaultValue={stream}
            required
            className="w-full sm:w-md"
            placeholder="job-0199a7c2-…"
            hint="A category and an id; pages of jobs and models link to theirs."
          />
          <Button kind="main" type="submit" className="justify-self-start">
            Open
          </Button>
        </form>
      </Panel>
      {stream && <Stream key={stream} stream={stream} />}
      <Checkpoint />
    </Page>
  );
}

function Stream({ stream }: { readonly stream: string }): ReactElement {
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
    <Panel title={<span className="break-all">{stream}</span>}>
      <Problem error={events.error} retry={() => void events.refetch()} />
      {events.isPending && <Loading rows={6} />}
      {events.data && all.length === 0 && <Empty>The stream has no events.</Empty>}
      <Timeline events={all} />
      {events.hasNextPage && (
        <Button className="mt-3" disabled={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
          Later events
        </Button>
      )}
    </Panel>
  );
}
