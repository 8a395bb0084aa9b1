import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Table } from '../../components/table.js';
import { number } from '../../components/values.js';

interface Props {
  readonly caption: string;
  readonly reasons: readonly Schema['RowReasonRecord'][];
}

/** What is wrong with rows: kinds of errors, each with its rows. */
export const Reasons = ({ caption, reasons }: Props): ReactElement => (
  <Table
    caption={caption}
    rows={reasons}
    rowKey={({ reason }) => reason}
    columns={[
      { head: 'Rows', number: true, cell: ({ rows }) => number(rows) },
      { head: 'First row', number: true, cell: ({ first_row }) => number(first_row) },
      { head: 'Why', cell: ({ reason }) => reason },
    ]}
  />
);
