import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.js';
import { useFilters } from './use-filters.js';
import { number as formatted } from './values.js';

export interface Column<Row> {
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are right-aligned, in digits of one width. */
  readonly number?: boolean;
}

interface Props<Row> {
  /** Caption for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

interface Shortened {
  readonly shown: number;
  readonly total: number;
  readonly which: 'newest' | 'alphabetically first';
}

/** Note under a list that shows only a part. */
export const Shortened = ({ shown, total, which }: Shortened): ReactElement | null =>
  total > shown ? (
    <p className="text-sm text-muted">
      The {which} {shown} of {total}.
    </p>
  ) : null;

const PAGE = 50;

/** The part of a list that the address requests, `?from=`, in the form of the API's lists. */
export function usePage(): { readonly limit: number; readonly offset: number } {
  const [{ from = '0' }] = useFilters();
  return { limit: PAGE, offset: /^\d+$/.test(from) ? Number(from) : 0 };
}

/** Leads through a list that is longer than a page. */
export function Pages({ total }: { readonly total: number }): ReactElement | null {
  const { limit, offset } = usePage();
  const [, change] = useFilters();
  if (total <= limit && offset === 0) return null;
  const go = (to: number): void => change({ from: to > 0 ? String(to) : undefined });
  return (
    <nav aria-label="Pages of the list" className="mt-3 flex flex-wrap items-center gap-3">
      <Button disabled={offset === 0} onClick={() => go(offset - limit)}>
        Previous
      </Button>
      <Button disabled={offset + limit >= total} onClick={() => go(offset + limit)}>
        Next
      </Button>
      <span className="text-sm text-muted">
        {formatted(Math.min(offset + 1, total))} to {formatted(Math.min(offset + limit, total))} of {formatted(total)}
      </span>
    </nav>
  );
}

/** Longer tables scroll by themselves, below their heads. */
const MAX_WHOLE = 20;

/** A table of few rows. Wide ones scroll by themselves, not the page. */
export const Table = <Row,>({ caption, columns, rows, rowKey }: Props<Row>): ReactElement => (
  <div
    className={`table-wrap ${rows.length > MAX_WHOLE ? 'long' : ''}`}
    tabIndex={0}
    role="region"
    aria-label={caption}
  >
    <table className="t">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ head, number }, index) => (
            <th key={index} scope="col" className={number ? 'num' : ''}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ head, cell, number }, index) => (
              <td
                key={index}
                className={number ? 'num' : ''}
                // On a phone, where a row is a block, the value's name.
                data-head={typeof head === 'string' ? head : undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
