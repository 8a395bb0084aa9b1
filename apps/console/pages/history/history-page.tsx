import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { buttonClass } from '../../components/button.js';
import { Folded } from '../../components/folded.js';
import { Page, Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Calls } from './calls.js';
import { HistoryFilters, selecting } from './filters.js';

const VIEWS = { list: 'List', charts: 'Charts' } as const;

export function HistoryPage(): ReactElement {
  const [filters, change] = useFilters();
  const selected = selecting(filters);
  const view = filters['view'] === 'charts' ? 'charts' : 'list';
  // Charts are loaded by those who look at them, as a question like others: the page waits for the first answers.
  const charts = useQuery({
    queryKey: ['module of charts'],
    queryFn: () => import('./charts.js'),
    enabled: view === 'charts',
    staleTime: Infinity,
  });
  return (
    <Page
      title="History"
      intro="Every recorded call, newest first."
      actions={Object.entries(VIEWS).map(([name, title]) => (
        <button
          key={name}
          type="button"
          aria-pressed={view === name}
          className={buttonClass(view === name ? 'main' : 'plain')}
          onClick={() => change({ view: name === 'list' ? '' : name })}
        >
          {title}
        </button>
      ))}
    >
      <Panel>
        <Folded title="Filters" inUse={Object.keys(selected).length > 0}>
          <HistoryFilters filters={selected} onChange={change} />
        </Folded>
      </Panel>
      {view === 'charts' ? (
        <Loaded query={charts} rows={12}>
          {({ Charts }) => <Charts filters={selected} />}
        </Loaded>
      ) : (
        <Calls
          key={JSON.stringify(selected)}
          filters={selected}
          open={filters['call']}
          onOpen={(call) => change({ call }, { pushes: call !== '' })}
        />
      )}
    </Page>
  );
}
