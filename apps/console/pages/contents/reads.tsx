import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent, ReactElement } from 'react';
import { api, body, isForbidden } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { momentsOf } from '../../components/moments.js';
import { Named } from '../../components/named.js';
import { Panel } from '../../components/page.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { useFilters } from '../../components/use-filters.js';
import { Id, number, Time } from '../../components/values.js';

const SELECTING = ['resource', 'actor', 'since', 'until'] as const;

/** Reads of contents. The selection is in the address. */
export function Reads(): ReactElement {
  const [filters, change] = useFilters();
  const selected = Object.fromEntries(SELECTING.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  const reads = useInfiniteQuery({
    queryKey: ['reads', selected],
    queryFn: ({ pageParam }) =>
      body(
        api.GET('/audit/reads', {
          params: { query: { ...momentsOf(selected), limit: 50, ...(pageParam && { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    change(Object.fromEntries(SELECTING.map((name) => [name, textOf(form, name).trim()])));
  };
  const list = reads.data?.pages.flatMap((page) => page.reads) ?? [];
  return (
    <Panel title="Who read what">
      <div className="grid gap-4">
        <form key={JSON.stringify(selected)} onSubmit={submit} className="grid gap-3">
          <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
            <Input
              label="What was read"
              name="resource"
              placeholder="dataset/tickets/1"
              defaultValue={selected['resource']}
              className="w-full"
            />
            <Input
              label="By"
              name="actor"
              placeholder="user:…, key:…"
              defaultValue={selected['actor']}
              className="w-full"
            />
            <Input
              label="Since"
              name="since"
              type="datetime-local"
              defaultValue={selected['since']}
              className="w-full"
            />
            <Input
              label="Until"
              name="until"
              type="datetime-local"
              defaultValue={selected['until']}
              className="w-full"
            />
          </div>
          <div className="flex flex-wrap gap-2">
            <Button type="submit">Show</Button>
            <Button onClick={() => change(Object.fromEntries(SELECTING.map((name) => [name, ''])))}>Clear</Button>
          </div>
        </form>
        {isForbidden(reads.error) ? (
          <Empty>Your role does not let you see who read what: an owner or an auditor may.</Empty>
        ) : (
          <Problem error={reads.error} retry={() => void reads.refetch()} />
        )}
        {reads.isPending && <Loading rows={5} />}
        {reads.isSuccess && list.length === 0 && <Empty>No read like this is recorded.</Empty>}
        {list.length > 0 && (
          <Table
            caption="Reads, newest first"
            rows={list}
            rowKey={({ event, actor, resource, route }) => `${event.position} ${actor} ${resource} ${route}`}
            columns={[
              { head: 'What', cell: ({ resource }) => <Id>{resource}</Id> },
              {
                head: 'By',
                cell: ({ actor }) => (
                  <Link to="/log" search={{ actor }}>
                    <Named id={actor} />
                  </Link>
                ),
              },
              { head: 'By the route', cell: ({ route }) => <code className="text-xs">{route}</code> },
              { head: 'Times', number: true, cell: ({ count }) => number(count), by: ({ count }) => count },
              { head: 'Last', cell: ({ until }) => <Time at={until} seconds /> },
            ]}
          />
        )}
        {reads.hasNextPage && (
          <Button
            className="justify-self-start"
            disabled={reads.isFetchingNextPage}
            onClick={() => void reads.fetchNextPage()}
          >
            Earlier reads
          </Button>
        )}
      </div>
    </Panel>
  );
}
