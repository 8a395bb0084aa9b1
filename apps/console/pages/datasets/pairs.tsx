import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Row } from '../../components/row.js';
import { Loaded } from '../../components/states.js';
import { number } from '../../components/values.js';

/** A version of a dataset. */
export interface Version {
  readonly name: string;
  readonly version: string;
}

export interface Pair {
  /** From 1. */
  readonly row: number;
  readonly other: number;
}

interface Props {
  readonly of: Version;
  /** The version of the other rows; default: the same one. */
  readonly others?: Version;
  readonly pairs: readonly Pair[];
}

const SHOWN = 10;

/** Rows beside the rows that they are like. */
export const Pairs = ({ of, others = of, pairs }: Props): ReactElement => (
  <ol className="mt-2 grid gap-3">
    {pairs.slice(0, SHOWN).map(({ row, other }) => (
      <li key={`${row} ${other}`} className="grid gap-3 border-l-2 border-line pl-3 md:grid-cols-2">
        <RowOf of={of} row={row} />
        <RowOf of={others} row={other} />
      </li>
    ))}
    {pairs.length > SHOWN && (
      <li className="text-sm text-muted">
        The first {SHOWN} of {number(pairs.length)}.
      </li>
    )}
  </ol>
);

export function RowOf({ of: { name, version }, row }: { readonly of: Version; readonly row: number }): ReactElement {
  const found = useQuery({
    queryKey: ['datasets', name, version, 'row', row],
    queryFn: () =>
      body(
        api.GET('/felix/datasets/{name}/{version}/preview', {
          params: { path: { name, version }, query: { offset: row - 1, limit: 1 } },
        }),
      ),
    staleTime: Infinity,
  });
  return (
    <div className="min-w-0">
      <span className="text-sm text-muted">
        {name} {version}, row {number(row)}
      </span>
      <Loaded query={found} rows={1}>
        {({ rows: [only = {}] }) => <Row row={only} />}
      </Loaded>
    </div>
  );
}
