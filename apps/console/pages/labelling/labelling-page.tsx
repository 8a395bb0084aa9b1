import type { ReactElement } from 'react';
import { Page } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Choose } from './choose.js';
import { Compare } from './compare.js';
import { Session } from './session.js';
import { useRows } from './use-rows.js';

/** The rows of a dataset version, one at a time, for a person to label. */
export function LabellingPage(): ReactElement {
  const [filters, change] = useFilters();
  const { dataset = '', version = '', second = '', pass = '' } = filters;
  const rows = useRows(dataset, version);
  return (
    <Page
      title="Labelling"
      shape="columns"
      intro="Goes through the rows of a dataset. What you label is kept in this browser until you save it as a new version."
    >
      <Choose filters={filters} onChange={change} />
      {dataset === '' || version === '' ? (
        <Empty>Choose a dataset above, or paste texts.</Empty>
      ) : (
        <Loaded query={rows} rows={8}>
          {(list) =>
            list.length === 0 ? (
              <Empty>This version has no rows.</Empty>
            ) : second !== '' ? (
              <Compare rows={list} filters={filters} onChange={change} />
            ) : (
              <Session key={`${dataset} ${version} ${pass}`} rows={list} filters={filters} onChange={change} />
            )
          }
        </Loaded>
      )}
    </Page>
  );
}
