import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { partQuery } from '../../api/queries.js';
import { FilterBar } from '../../components/filter-bar.js';
import { Page } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Calls } from './calls.js';
import { FILTER_NAMES, HistoryFilters, Search, selecting } from './filters.js';
import { TakeAndBring } from './take.js';

const VIEWS = { list: 'List', charts: 'Charts' } as const;

export function HistoryPage(): ReactElement {
  const [filters, change] = useFilters();
  const selected = selecting(filters);
  const view = filters['view'] === 'charts' ? 'charts' : 'list';
  const charts = useQuery({ ...partQuery('charts', () => import('./charts.js')), enabled: view === 'charts' });
  return (
    <Page
      title="History"
      intro="Every recorded call, the last recorded first: an imported one stands where it was imported, with its own time."
      wide
      actions={
        <>
          <TakeAndBring filters={selected} />
          <div className="seg" role="group" aria-label="View">
            {Object.entries(VIEWS).map(([name, title]) => (
              <button
                key={name}
                type="button"
                aria-pressed={view === name}
                onClick={() => change({ view: name === 'list' ? '' : name })}
              >
                {title}
              </button>
            ))}
          </div>
        </>
      }
    >
      <FilterBar
        page="history"
        names={FILTER_NAMES}
        filters={selected}
        onChange={change}
        search={<Search key={selected['text']} text={selected['text'] ?? ''} onChange={change} />}
      >
        <HistoryFilters filters={selected} onChange={change} />
      </FilterBar>
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
