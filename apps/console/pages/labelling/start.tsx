import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Shortened, Table } from '../../components/table.js';
import { number, Time } from '../../components/values.js';
import { labelledQuery } from './choose.js';

/** The datasets whose rows can be labelled. */
export function Start(): ReactElement {
  const datasets = useQuery(labelledQuery);
  return (
    <Panel title="What do you label?">
      <Loaded query={datasets} rows={6}>
        {({ datasets: list, total }) =>
          list.length === 0 ? (
            <Empty>There are no rows to label yet. Paste texts, or upload a file under Datasets.</Empty>
          ) : (
            <>
              <Table
                caption="Datasets to label"
                rows={list}
                rowKey={({ id }) => id}
                columns={[
                  {
                    head: 'Dataset',
                    cell: ({ name, version_number: version }) => (
                      <Link to="/labelling" search={{ dataset: name, version }}>
                        {name}/{version}
                      </Link>
                    ),
                    by: ({ name }) => name,
                  },
                  {
                    head: 'Rows',
                    number: true,
                    cell: (each) => number(each.sample_size),
                    by: (each) => each.sample_size,
                  },
                  { head: 'Labels', cell: ({ heads }) => heads.join(', ') || 'none' },
                  { head: 'Made', cell: ({ created_at: at }) => <Time at={at} />, by: ({ created_at: at }) => at },
                ]}
              />
              <Shortened shown={list.length} total={total} which="newest" />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
