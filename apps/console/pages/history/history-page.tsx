import { lazy, Suspense, type ReactElement } from 'react';
import { buttonClass } from '../../components/button.js';
import { Page, Panel } from '../../components/page.js';
import { Loading } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Calls } from './calls.js';
import { HistoryFilters, selecting } from './filters.js';

// Charts are loaded by those who look at them.
const Charts = lazy(() => import('./charts.js').then(({ Charts: component }) => ({ default: component })));

const VIEWS = { list: 'List', charts: 'Charts' } as const;

export function HistoryPage(): ReactElement {
  const [filters, change] = useFilters();
  const selected = selecting(filters);
  const view = filters['view'] === 'charts' ? 'charts' : 'list';
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
        <HistoryFilters filters={selected} onChange={change} />
      </Panel>
      {view === 'charts' ? (
        <Suspense fallback={<Loading rows={12} />}>
          <Charts filters={selected} />
        </Suspense>
      ) : (
        <Calls
          key={JSON.stringify(selected)}
          filters={selected}
          open={filters['call']}
          onOpen={(call) => change({ call })}
        />
      )}
    </Page>
  );
}
