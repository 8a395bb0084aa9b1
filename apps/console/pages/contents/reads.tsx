import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent, ReactElement, ReactNode } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { FilterBar } from '../../components/filter-bar.js';
import { textOf } from '../../components/form.js';
import { momentsOf } from '../../components/moments.js';
import { Named } from '../../components/named.js';
import { Panel } from '../../components/page.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { useFilters, type Filters } from '../../components/use-filters.js';
import { number, Time } from '../../components/values.js';

/** Filters of the route, with their names. */
export const SELECTING = { resource: 'What', actor: 'By', since: 'Since', until: 'Until' } as const;

/** Reads of contents. The selection is in the address. */
export function Reads(): ReactElement {
  const [filters, change] = useFilters();
  const selected = Object.fromEntries(
    Object.keys(SELECTING).flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])),
  );
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
  const list = reads.data?.pages.flatMap((page) => page.reads) ?? [];
  return (
    <>
      <FilterBar names={SELECTING} filters={selected} onChange={change}>
        <ReadFilters key={JSON.stringify(selected)} filters={selected} onChange={change} />
      </FilterBar>
      <Panel title="Reads, newest first">
        <Problem error={reads.error} retry={() => void reads.refetch()} />
        {reads.isPending && <Loading rows={5} />}
        {reads.isSuccess && list.length === 0 && <Empty>No read like this is recorded.</Empty>}
        {list.length > 0 && (
          <Table
            caption="Reads, newest first"
            rows={list}
            rowKey={({ event, actor, resource, route }) => `${event.position} ${actor} ${resource} ${route}`}
            columns={[
              { head: 'What', cell: ({ resource }) => <Resource of={resource} /> },
              {
                head: 'By',
                cell: ({ actor }) => (
                  <Link to="/log" search={{ actor }}>
                    <Named id={actor} />
                  </Link>
                ),
              },
              { head: 'By the route', cell: ({ route }) => <code className="text-xs text-muted">{route}</code> },
              { head: 'Times', number: true, cell: ({ count }) => number(count), by: ({ count }) => count },
              { head: 'Last', cell: ({ until }) => <Time at={until} seconds /> },
            ]}
          />
        )}
        {reads.hasNextPage && (
          <footer>
            <Button disabled={reads.isFetchingNextPage} onClick={() => void reads.fetchNextPage()}>
              Earlier reads
            </Button>
          </footer>
        )}
      </Panel>
    </>
  );
}

interface FilterProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

function ReadFilters({ filters, onChange }: FilterProps): ReactElement {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onChange(Object.fromEntries(Object.keys(SELECTING).map((name) => [name, textOf(form, name).trim()])));
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid items-end gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Input
          label="What was read"
          name="resource"
          placeholder="dataset/tickets/1"
          defaultValue={filters['resource']}
        />
        <Input label="By" name="actor" placeholder="user:…, key:…" defaultValue={filters['actor']} />
        <Input label="Since" name="since" type="datetime-local" defaultValue={filters['since']} />
        <Input label="Until" name="until" type="datetime-local" defaultValue={filters['until']} />
      </div>
      <div>
        <Button type="submit">Show</Button>
      </div>
    </form>
  );
}

/** The thing that was read, as a link; hovering shows its name in the record. */
function Resource({ of }: { readonly of: string }): ReactElement {
  const [kind = '', ...rest] = of.split('/');
  const id = rest.join('/');
  return <span title={of}>{linked(kind, id)}</span>;
}

function linked(kind: string, id: string): ReactNode {
  const short = id.length > 24 ? `${id.slice(0, 8)}…` : id;
  switch (kind) {
    case 'calls':
      return <Link to="/history">calls</Link>;
    case 'call':
      return (
        <Link to="/history/$id" params={{ id }}>
          call {short}
        </Link>
      );
    case 'dataset': {
      const [name = '', version = ''] = id.split('/');
      return (
        <Link to="/datasets/$name/$version" params={{ name, version }}>
          {id}
        </Link>
      );
    }
    case 'events':
      return (
        <Link to="/log" {...(id !== '*' && { search: { stream: id } })}>
          {id === '*' ? 'the log' : `events of ${id.replaceAll(/([0-9a-f]{8})-[0-9a-f-]{27}/g, '$1…')}`}
        </Link>
      );
    default:
      return `${kind} ${short}`;
  }
}
