import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { buttonClass } from '../../components/button.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Empty, Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Pages, Table, usePage } from '../../components/table.js';
import { number, Time } from '../../components/values.js';
import { Deleted } from './deleted.js';
import { SETTLED } from './settled.js';

export function DatasetsPage(): ReactElement {
  const page = usePage();
  const datasets = useQuery({
    queryKey: ['datasets', 'all', page],
    queryFn: () => body(api.GET('/felix/datasets', { params: { query: { include_failed: true, ...page } } })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.datasets.some(({ status }) => !SETTLED.has(status)) ? 1_000 : 30_000),
  });
  return (
    <Page
      title="Datasets"
      intro="Labelled examples, in numbered versions that never change."
      actions={
        <Permitted sends="POST /felix/datasets/upload/process">
          <Link to="/datasets/new" className={buttonClass('main')}>
            New dataset
          </Link>
        </Permitted>
      }
    >
      <Panel title="Your datasets">
        <Loaded query={datasets}>
          {({ datasets: list, total }) =>
            total === 0 ? (
              <Empty>
                There are no datasets yet. <Link to="/datasets/new">Upload a file</Link>: texts with the right answers.
              </Empty>
            ) : (
              <>
                <Table
                  caption="Datasets, by their newest version"
                  rows={list}
                  rowKey={({ id }) => id}
                  columns={[
                    {
                      head: 'Name',
                      cell: ({ name, version_number }) => (
                        <Link to="/datasets/$name/$version" params={{ name, version: version_number }}>
                          {name}
                        </Link>
                      ),
                    },
                    {
                      head: 'Version',
                      number: true,
                      cell: ({ version_number }) => version_number,
                      by: ({ version_number }) => version_number,
                    },
                    { head: 'Status', cell: ({ status }) => <Status status={status} /> },
                    {
                      head: 'Rows',
                      number: true,
                      cell: ({ sample_size }) => number(sample_size),
                      by: ({ sample_size }) => sample_size,
                    },
                    { head: 'Labelled for', cell: ({ heads }) => heads.join(', ') || '–' },
                    { head: 'Labels', cell: ({ labels }) => shortened(labels) },
                    { head: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
                  ]}
                />
                <Pages total={total} />
              </>
            )
          }
        </Loaded>
      </Panel>
      <Permitted sends="POST /felix/datasets/{name}/restore">
        <Deleted />
      </Permitted>
    </Page>
  );
}

const SHOWN = 3;

const shortened = (labels: readonly string[]): string =>
  labels.length > SHOWN
    ? `${labels.slice(0, SHOWN).join(', ')} and ${labels.length - SHOWN} more`
    : labels.join(', ') || '–';
