import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Schema } from '../api/client.js';
import type { Column } from './sorting.js';
import { Table } from './table.js';
import { Time } from './values.js';

interface Props {
  readonly models: readonly Schema['NamedModelRecord'][];
  /** What this list shows of each besides. */
  readonly also: readonly Column<Schema['NamedModelRecord']>[];
}

/** The names that programs call, with their versions. */
export const ModelNames = ({ models, also }: Props): ReactElement => (
  <Table
    caption="Models by name"
    rows={models}
    rowKey={({ name }) => name}
    columns={[
      {
        head: 'Name',
        cell: ({ name }) => (
          <Link to="/models/$name" params={{ name }}>
            {name}
          </Link>
        ),
      },
      { head: 'Version in use', cell: ({ version }) => version ?? 'none' },
      ...also,
      { head: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
    ]}
  />
);
