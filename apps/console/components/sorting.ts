import { isValidElement, type ReactNode } from 'react';

export type SortValue = string | number | null;

/** A column by which a table is sorted. */
export interface Sort {
  readonly head: string;
  readonly descending: boolean;
}

export interface Column<Row> {
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are right-aligned, in digits of one width. */
  readonly number?: boolean;
  /** What rows are sorted by, where the cell's words do not say it: always for numbers. */
  readonly by?: (row: Row) => SortValue;
}

/** Whether people can sort by a column: digits that are written for people tell no order, unless it is given. */
export const canSort = <Row>({ head, number, by }: Column<Row>): boolean =>
  typeof head === 'string' && (by !== undefined || !number);

const WORDS = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Rows in the order of a column; those without a value last, both ways. Without a known column as they are. */
export function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort | null): readonly Row[] {
  const column = columns.find((each) => each.head === sort?.head && canSort(each));
  if (!sort || !column) return rows;
  const valueIn = column.by ?? ((row: Row) => valueOf(column.cell(row)));
  const sign = sort.descending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueIn(row) }))
    .toSorted((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return sign * compared(a.value, b.value);
    })
    .map(({ row }) => row);
}

const compared = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : WORDS.compare(String(a), String(b));

/** What a cell says, or the moment, state or share that its element is given. */
export function valueOf(node: ReactNode): SortValue {
  if (typeof node === 'number') return node;
  if (typeof node === 'string') return node === '–' || node === '' ? null : node;
  if (Array.isArray(node)) {
    const said = node.map(valueOf).filter((each) => each !== null);
    return said.length === 0 ? null : said.join(' ');
  }
  if (!isValidElement<Readonly<Record<string, unknown>>>(node)) return null;
  const { at, status, value, id, children } = node.props;
  const told = [at, status, value, children ?? id].find((each) => each !== undefined && each !== null);
  return valueOf(told as ReactNode);
}

/** The next choice of a column: upwards, downwards, and as the list is given. */
export function nextSort(sort: Sort | null, head: string): Sort | null {
  if (sort?.head !== head) return { head, descending: false };
  return sort.descending ? null : { head, descending: true };
}
