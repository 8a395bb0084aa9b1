import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../../api/client.js';
import { Button } from '../../../components/button.js';
import { FilterBar } from '../../../components/filter-bar.js';
import { Panel } from '../../../components/page.js';
import { Permitted } from '../../../components/permitted.js';
import { Row } from '../../../components/row.js';
import { Empty, Loaded } from '../../../components/states.js';
import { useFilters, type Filters } from '../../../components/use-filters.js';
import { number } from '../../../components/values.js';
import { WrongRows } from '../../training/mistakes.js';
import { Edit, isEditable } from './edit.js';
import { evaluationTitle, RowFilters, ROW_FILTERS, Search } from './filters.js';

const PAGE = 10;

/** The evaluations whose wrong rows can be shown. */
const useEvaluations = ({ name, version_number }: Schema['DatasetVersionRecord']) =>
  useQuery({
    queryKey: ['evaluations', 'on', name, version_number],
    queryFn: async () => {
      const query = { dataset_name: name, status: 'complete' as const, limit: 50 };
      const { evaluations } = await body(api.GET('/felix/evaluations', { params: { query } }));
      return evaluations.filter((each) => each.version_number === version_number && each.folds === null);
    },
    meta: { late: true },
  });

/** Rows of a version, with their spans drawn in the text. The page of rows and the filters are in the address. */
export function Rows({ version }: { readonly version: Schema['DatasetVersionRecord'] }): ReactElement {
  const [filters, change] = useFilters();
  const evaluations = useEvaluations(version).data ?? [];
  const refine = (changes: Filters): void => change({ ...changes, offset: undefined });
  const wrong = evaluations.find(({ id }) => id === filters['wrong']);
  return (
    <>
      <FilterBar
        names={ROW_FILTERS}
        filters={{ ...filters, ...(wrong && { wrong: evaluationTitle(wrong) }) }}
        onChange={refine}
        search={<Search key={filters['q']} value={filters['q'] ?? ''} onSearch={(q) => refine({ q })} />}
      >
        <RowFilters key={JSON.stringify(filters)} {...{ filters, version, evaluations }} onChange={refine} />
      </FilterBar>
      {wrong ? (
        <WrongRows title="Rows that the model gets wrong" evaluation={wrong} />
      ) : (
        <Found version={version} filters={filters} onPage={(offset) => change({ offset: String(offset || '') })} />
      )}
    </>
  );
}

interface FoundProps {
  readonly version: Schema['DatasetVersionRecord'];
  readonly filters: Filters;
  readonly onPage: (offset: number) => void;
}

function Found({ version, filters, onPage }: FoundProps): ReactElement {
  const { name, version_number } = version;
  const offset = Number(filters['offset'] ?? 0) || 0;
  const { q, label, min_characters: min, max_characters: max, duplicate } = filters;
  const rows = useQuery({
    queryKey: ['datasets', name, version_number, 'rows', { offset, q, label, min, max, duplicate }],
    queryFn: () =>
      body(
        api.GET('/felix/datasets/{name}/{version}/preview', {
          params: {
            path: { name, version: version_number },
            query: {
              ...{ offset, limit: PAGE },
              ...(q && { q }),
              ...(label && { label }),
              ...(min && { min_characters: Number(min) }),
              ...(max && { max_characters: Number(max) }),
              ...(duplicate && { duplicate: duplicate === 'true' }),
            },
          },
        }),
      ),
    placeholderData: (before) => before,
  });
  return (
    <Panel title="Rows">
      <Loaded query={rows} rows={PAGE}>
        {({ rows: list, row_numbers, found_rows, total_rows }) =>
          found_rows === 0 ? (
            <Empty>None of {number(total_rows)} rows is so. Remove a filter above.</Empty>
          ) : (
            <div className="grid gap-3">
              <ol className="grid gap-3">
                {list.map((row, index) => (
                  <li key={row_numbers[index]} className="grid gap-1 border-l-2 border-line pl-3">
                    <span className="flex items-center gap-2 text-sm text-muted tabular-nums">
                      Row {number(row_numbers[index] ?? 0)}
                      {isEditable(version) && (
                        <Permitted sends="POST /felix/datasets/upload/process">
                          <Edit version={version} row={row} number={row_numbers[index] ?? 0} />
                        </Permitted>
                      )}
                    </span>
                    <Row row={row} />
                  </li>
                ))}
              </ol>
              <div className="flex flex-wrap items-center gap-3">
                <Button disabled={offset === 0} onClick={() => onPage(Math.max(0, offset - PAGE))}>
                  Earlier rows
                </Button>
                <Button disabled={offset + list.length >= found_rows} onClick={() => onPage(offset + list.length)}>
                  Later rows
                </Button>
                <span className="text-sm text-muted">
                  {number(offset + 1)} to {number(offset + list.length)} of {number(found_rows)}
                  {found_rows < total_rows && `, found in ${number(total_rows)}`}
                </span>
              </div>
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}
