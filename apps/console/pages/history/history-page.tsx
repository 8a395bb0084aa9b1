import type { ReactElement } from 'react';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { number } from '../../components/values.js';
import { CallTable } from './call-table.js';
import { HistoryFilters } from './filters.js';
import { useCalls } from './use-calls.js';

export function HistoryPage(): ReactElement {
  const [filters, change] = useFilters();
  const calls = useCalls(filters);
  const list = calls.data?.pages.flatMap(({ inferences }) => inferences);
  const total = calls.data?.pages[0]?.total ?? 0;
  return (
    <Page title="History" intro="Every recorded call, newest first.">
      <Panel>
        <HistoryFilters filters={filters} onChange={change} />
      </Panel>
      <Panel title={list && `${number(total)} ${total === 1 ? 'call' : 'calls'}`}>
        <Problem error={calls.error} retry={() => void calls.refetch()} />
        {!list ? (
          calls.isPending && <Loading rows={12} />
        ) : list.length === 0 ? (
          <Empty>No call is like this. Make one in the playground, or clear the filters.</Empty>
        ) : (
          <CallTable
            calls={list}
            total={total}
            onEnd={() => calls.hasNextPage && !calls.isFetching && !calls.error && void calls.fetchNextPage()}
          />
        )}
      </Panel>
    </Page>
  );
}
