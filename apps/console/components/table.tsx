import type { ReactElement } from 'react';
import { Button } from './button.js';
import { sorted, type Column } from './sorting.js';
import { ColumnChoice, Head } from './table-head.js';
import { useFilters } from './use-filters.js';
import { useTableLook } from './use-table-look.js';
import { number as formatted } from './values.js';

interface Props<Row> {
  /** Caption for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Names what a person sets of the table, where captions differ from one thing to the next. */
  readonly name?: string;
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

/** Fewer columns are always shown. */
const MIN_COLUMNS = 3;
/** Longer tables scroll by themselves, below their heads. */
const MAX_WHOLE = 20;

/** A table of few rows, sorted and with the columns as the person has it. Wide ones scroll by themselves, not the page. */
export function Table<Row>({ caption, columns, rows, rowKey, name = caption }: Props<Row>): ReactElement {
  const look = useTableLook(name);
  const shown = columns.filter(({ head }) => typeof head !== 'string' || !look.hidden.includes(head));
  const named = columns.flatMap(({ head }) => (typeof head === 'string' ? [head] : []));
  // The head of a column of buttons has room for the choice of columns.
  const hasButtons = typeof shown.at(-1)?.head !== 'string';
  const choice = named.length > MIN_COLUMNS && <ColumnChoice caption={caption} columns={named} look={look} />;
  return (
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
            {shown.map((column, index) => (
              <Head key={columns.indexOf(column)} column={column} look={look} canSort={rows.length > 1}>
                {hasButtons && index === shown.length - 1 && choice}
              </Head>
            ))}
            {choice && !hasButtons && <th className="choice">{choice}</th>}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, columns, look.sort).map((row) => (
            <tr key={rowKey(row)}>
              {shown.map(({ head, cell, number }, index) => (
                <td
                  key={index}
                  className={number ? 'num' : hasButtons && index === shown.length - 1 ? 'acts' : ''}
                  // The last one has the room below the choice of columns too.
                  {...(choice && !hasButtons && index === shown.length - 1 && { colSpan: 2 })}
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
}
