import type { ReactElement } from 'react';
import { FilterBar } from '../../components/filter-bar.js';
import { Page } from '../../components/page.js';
import { useFilters } from '../../components/use-filters.js';
import { LogFilters, SELECTING } from './filters.js';
import { Recent } from './recent.js';
import { Stream } from './stream.js';
import { Intact, Verification } from './verification.js';

/** The events of the workspace as they happen, one stream as it was written, and what proves that nothing of it was changed. */
export function LogPage(): ReactElement {
  const [filters, change] = useFilters();
  const { stream } = filters;
  const selecting = Object.fromEntries(
    Object.keys(SELECTING).flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])),
  );
  return (
    <Page
      title="Log"
      shape="columns"
      intro="Everything that happened is an event in a stream: of a job, a model, a dataset, a call."
    >
      <Intact />
      <FilterBar page="log" names={SELECTING} filters={selecting} onChange={change}>
        <LogFilters filters={filters} onChange={change} />
      </FilterBar>
      <div className="columns">
        <div>
          {stream && Object.keys(selecting).length === 1 ? (
            <Stream key={stream} stream={stream} />
          ) : (
            <Recent
              key={JSON.stringify(selecting)}
              filters={selecting}
              reads={filters['reads'] === 'shown'}
              onReads={(reads) => change({ reads: reads ? 'shown' : '' })}
            />
          )}
        </div>
        <Verification />
      </div>
    </Page>
  );
}
