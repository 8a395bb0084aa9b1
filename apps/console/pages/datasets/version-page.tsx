import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { buttonClass } from '../../components/button.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Loaded, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { bytes, counted, Figure, number } from '../../components/values.js';
import { DeleteVersion } from './delete-version.js';
import { Reading } from './reading/reading.js';
import { Reasons } from './reasons.js';
import { SETTLED } from './settled.js';
import { VersionTabs } from './version-tabs.js';
import { Worth } from './worth.js';

/** The page of a version: how it was read, its report, its rows, and the other versions. */
export function VersionPage(): ReactElement {
  const { name = '', version = '' }: { name?: string; version?: string } = useParams({ strict: false });
  const path = { name, version };
  const record = useQuery({
    queryKey: ['datasets', name, version],
    queryFn: () => body(api.GET('/felix/datasets/{name}/{version}', { params: { path } })),
    refetchInterval: ({ state }) => (state.data && !SETTLED.has(state.data.status) ? 1_000 : false),
  });
  const isReady = record.data?.status === 'ready';
  const versions = useQuery({
    queryKey: ['datasets', name],
    queryFn: () => body(api.GET('/felix/datasets/{name}', { params: { path: { name } } })),
  });
  return (
    <Page
      shape="thing"
      title={`${name}, version ${version}`}
      of={['Datasets', '/datasets']}
      state={record.data && <Status status={record.data.status} />}
      actions={
        <>
          {isReady && (
            <>
              <Permitted sends="POST /felix/training-jobs">
                <a className={buttonClass('main')} href={`/console/training/new?dataset=${encodeURIComponent(name)}`}>
                  Train on it
                </a>
              </Permitted>
              <Permitted sends="GET /felix/datasets/{name}/{version}/download">
                <a
                  className={buttonClass()}
                  href={`/felix/datasets/${encodeURIComponent(name)}/${version}/download`}
                  download
                >
                  Download
                </a>
              </Permitted>
            </>
          )}
          {record.data && (
            <Permitted sends="DELETE /felix/datasets/{name}/{version}">
              <DeleteVersion version={record.data} />
            </Permitted>
          )}
        </>
      }
    >
      <Loaded query={record}>
        {(found) =>
          found.status === 'initialized' ? (
            <Permitted sends="POST /felix/datasets/{name}/{version}/preview">
              <Reading version={found} />
            </Permitted>
          ) : (
            <>
              <Worth version={found} />
              <About version={found} />
            </>
          )
        }
      </Loaded>
      <VersionTabs name={name} version={version} record={record.data} versions={versions} />
    </Page>
  );
}

function About({ version }: { readonly version: Schema['DatasetVersionRecord'] }): ReactElement {
  const { row_errors: errors, left_out: leftOut, processing_error: problem } = version;
  return (
    <>
      {problem && <Problem error={new Error(problem)} />}
      <dl className="metrics">
        <Figure label="Rows" value={number(version.sample_size)} />
        <Figure label="Size" value={bytes(version.size)} />
        <Figure label="Labels" value={number(version.labels.length)} />
        <Figure label="Format" value={version.format ?? '–'} {...(version.read_as && { note: version.read_as })} />
      </dl>
      {leftOut && (
        <Panel title="Rows that were left out">
          <LeftOut of={version} leftOut={leftOut} />
        </Panel>
      )}
      {errors && errors.total > 0 && (
        <Panel title="Rows that could not be read">
          <Errors errors={errors} />
        </Panel>
      )}
    </>
  );
}

/** Errors by their kind, and one by one. */
function Errors({
  errors,
}: {
  readonly errors: NonNullable<Schema['DatasetVersionRecord']['row_errors']>;
}): ReactElement {
  return (
    <div className="grid gap-2">
      <p>{counted(errors.total, 'error')} in the rows. Mend them in the file, and upload it again.</p>
      {errors.reasons && <Reasons caption="Why rows could not be read" reasons={errors.reasons} />}
      <details open={!errors.reasons}>
        <summary>Row by row</summary>
        <Table
          caption="Rows that could not be read"
          rows={errors.rows}
          rowKey={({ row, field }) => `${row} ${field}`}
          columns={[
            { head: 'Row', number: true, cell: ({ row }) => number(row) },
            { head: 'Field', cell: ({ field }) => <code>{field}</code> },
            { head: 'Why', cell: ({ reason }) => reason },
          ]}
        />
      </details>
    </div>
  );
}

interface LeftOutProps {
  readonly of: Schema['DatasetVersionRecord'];
  readonly leftOut: Schema['LeftOutRecord'];
}

function LeftOut({ of, leftOut }: LeftOutProps): ReactElement {
  const path = `/felix/datasets/${encodeURIComponent(of.name)}/${of.version_number}/left-out`;
  return (
    <div className="grid gap-2">
      <p>
        {number(leftOut.rows)} of {number(leftOut.of)} rows of the file were left out.{' '}
        <a href={path} download>
          {leftOut.listed < leftOut.rows ? `Download the first ${number(leftOut.listed)} of them` : 'Download them'}
        </a>
      </p>
      <Reasons caption="Why rows were left out" reasons={leftOut.reasons} />
    </div>
  );
}
