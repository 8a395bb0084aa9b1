import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { useMay } from '../../api/permitted.js';
import { DatasetLineage } from '../../components/graph/dataset-lineage.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { Tabs, type Tab } from '../../components/tabs.js';
import { number, Time } from '../../components/values.js';
import { DeleteDataset } from './delete-version.js';
import { Description } from './description.js';
import { Diff } from './diff.js';
import { Leaks } from './leaks.js';
import { Report } from './report.js';
import { Rows } from './rows/rows.js';

type Version = Schema['DatasetVersionRecord'];
type Versions = UseQueryResult<Schema['VersionList']>;

interface Props {
  readonly name: string;
  readonly version: string;
  /** Undefined until it has come. */
  readonly record: Version | undefined;
  readonly versions: Versions;
}

/** The parts of a version's page: its rows and what they are worth once it is ready, and the other versions. */
export function VersionTabs({ name, version, record, versions }: Props): ReactElement {
  const may = useMay();
  const isReady = record?.status === 'ready';
  const ready = versions.data?.versions.filter(({ status }) => status === 'ready') ?? [];
  const ofRows: readonly Tab[] =
    record && isReady ? rowTabs(record, may('GET /felix/datasets/{name}/{version}/preview')) : [];
  return (
    <Tabs
      tabs={[
        ...ofRows,
        {
          ...{ name: 'versions', title: 'Versions', count: versions.data?.count },
          content: (
            <>
              {isReady && <Diff of={{ name, version }} versions={ready.map(({ version_number }) => version_number)} />}
              <VersionList name={name} query={versions} />
            </>
          ),
        },
        ...(isReady && may('GET /lineage/datasets/{name}/{version}')
          ? [{ name: 'lineage', title: 'Lineage', content: <Lineage name={name} version={version} /> }]
          : []),
        ...(record && record.status !== 'initialized'
          ? [
              {
                ...{ name: 'description', title: 'Description' },
                content: <Description key={`${record.id} ${record.description?.at}`} version={record} />,
              },
            ]
          : []),
      ]}
    />
  );
}

const rowTabs = (record: Version, mayRead: boolean): readonly Tab[] => [
  ...(mayRead ? [{ name: 'rows', title: 'Rows', count: record.sample_size, content: <Rows version={record} /> }] : []),
  {
    ...{ name: 'report', title: 'Report' },
    content: (
      <>
        <Permitted sends="GET /felix/datasets/{name}/{version}/preview">
          <Report name={record.name} version={record.version_number} />
        </Permitted>
        <Permitted sends="GET /felix/datasets/{name}/{version}/report">
          <Leaks name={record.name} version={record.version_number} />
        </Permitted>
      </>
    ),
  },
];

const Lineage = ({ name, version }: { readonly name: string; readonly version: string }): ReactElement => (
  <Panel title="Lineage">
    <DatasetLineage name={name} version={version} />
  </Panel>
);

interface ListProps {
  readonly name: string;
  readonly query: Versions;
}

function VersionList({ name, query }: ListProps): ReactElement {
  return (
    <Panel
      title="Versions"
      actions={
        query.data &&
        query.data.count > 1 && (
          <Permitted sends="DELETE /felix/datasets/{name}">
            <DeleteDataset name={name} list={query.data.versions} />
          </Permitted>
        )
      }
    >
      <Loaded query={query}>
        {({ versions: list }) => (
          <Table
            caption={`Versions of ${name}`}
            name="dataset versions"
            rows={list}
            rowKey={({ id }) => id}
            columns={[
              {
                head: 'Version',
                cell: ({ version_number }) => (
                  <Link to="/datasets/$name/$version" params={{ name, version: version_number }}>
                    {version_number}
                  </Link>
                ),
              },
              { head: 'Status', cell: ({ status }) => <Status status={status} /> },
              {
                head: 'Rows',
                number: true,
                cell: ({ sample_size }) => number(sample_size),
                by: ({ sample_size }) => sample_size,
              },
              { head: 'From', cell: ({ generation_type }) => generation_type },
              { head: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
