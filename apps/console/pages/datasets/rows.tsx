import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Row } from '../../components/row.js';
import { Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { number } from '../../components/values.js';

const PAGE = 10;

/** Rows of a version, with their spans drawn in the text. The page of rows is in the address. */
export function Rows({ name, version }: { readonly name: string; readonly version: string }): ReactElement {
  const [filters, change] = useFilters();
  const offset = Number(filters['offset'] ?? 0) || 0;
  const rows = useQuery({
    queryKey: ['datasets', name, version, 'rows', offset],
    queryFn: () =>
      body(
        api.GET('/felix/datasets/{name}/{version}/preview', {
          params: { path: { name, version }, query: { offset, limit: PAGE } },
        }),
      ),
    placeholderData: (before) => before,
  });
  const go = (to: number): void => change({ offset: String(to || '') });
  return (
    <Panel title="Rows">
      <Loaded query={rows} rows={PAGE}>
        {({ rows: list, total_rows }) => (
          <div className="grid gap-3">
            <ol start={offset + 1} className="grid gap-3">
              {list.map((row, index) => (
                <li key={offset + index} className="grid gap-1 border-l-2 border-line pl-3">
                  <span className="text-sm text-muted tabular-nums">Row {number(offset + index + 1)}</span>
                  <Row row={row} />
                </li>
              ))}
            </ol>
            <div className="flex flex-wrap items-center gap-3">
              <Button disabled={offset === 0} onClick={() => go(Math.max(0, offset - PAGE))}>
                Earlier rows
              </Button>
              <Button disabled={offset + PAGE >= total_rows} onClick={() => go(offset + PAGE)}>
                Later rows
              </Button>
              <span className="text-sm text-muted">
                {number(offset + 1)} to {number(Math.min(offset + PAGE, total_rows))} of {number(total_rows)}
              </span>
            </div>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
