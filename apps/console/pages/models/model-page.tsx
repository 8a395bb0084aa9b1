import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { buttonClass } from '../../components/button.js';
import { Named } from '../../components/named.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Proposals } from '../../components/proposals.js';
import { Empty, Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/values.js';
import { DeleteName } from './delete-name.js';
import { Drift } from './drift.js';
import { Distillations } from '../distillation/distillations.js';
import { SavingsPanel } from '../distillation/savings-panel.js';
import { Improvements } from './improvements.js';
import { ModelLineage } from './lineage.js';
import { PolicyForm } from './policy.js';
import { SmokeTests } from './smoke-tests.js';
import { Standing } from './standing.js';
import { Versions } from './versions.js';

/** The page of a name: its versions and their traffic, its improvements, and its drift. */
export function ModelPage(): ReactElement {
  const { name = '' }: { name?: string } = useParams({ strict: false });
  const model = useQuery({
    queryKey: ['models', name],
    queryFn: () => body(api.GET('/models/{name}', { params: { path: { name } } })),
  });
  return (
    <Page
      title={name}
      of={['Models', '/models']}
      state={model.data && <Status status={model.data.version === null ? 'not in use' : 'in use'} />}
      intro={model.data?.description}
      actions={
        <>
          <Permitted sends="POST /inference">
            <a className={buttonClass()} href={`/console/playground?model=${name}`}>
              Try it
            </a>
          </Permitted>
          {model.data && (
            <Permitted sends="GET /events">
              <a className={buttonClass()} href={`/console/log?stream=${encodeURIComponent(model.data.stream)}`}>
                Events
              </a>
            </Permitted>
          )}
          {model.data && (
            <Permitted sends="DELETE /models/{name}">
              <DeleteName model={model.data} />
            </Permitted>
          )}
        </>
      }
    >
      <Loaded query={model} rows={6}>
        {(record) => (
          <>
            <Standing model={record} />
            <Proposals />
            {record.policy?.cascade && (
              <>
                <Panel title="Who answers">
                  <Distillations name={name} />
                </Panel>
                <Permitted sends="GET /models/{name}/savings">
                  <SavingsPanel name={name} />
                </Permitted>
              </>
            )}
            <Improvements name={name} />
            <Versions model={record} />
            <Permitted sends="GET /felix/datasets/{name}/{version}/download">
              <SmokeTests model={record} />
            </Permitted>
            {record.version !== null && <Drift name={name} />}
            <PolicyForm key={record.updated_at} name={name} policy={record.policy} />
            <Permitted sends="GET /lineage/datasets/{name}/{version}">
              <LineageOf model={record} />
            </Permitted>
            <Panel title="Versions in use over time">
              {(record.promotions ?? []).length === 0 ? (
                <Empty>No version was in use yet.</Empty>
              ) : (
                <Table
                  caption="Promotions, newest first"
                  rows={record.promotions ?? []}
                  rowKey={({ at, version }) => `${at} ${version}`}
                  columns={[
                    { head: 'When', cell: ({ at }) => <Time at={at} /> },
                    { head: 'Version', cell: ({ version, previous }) => `${previous ?? 'none'} → ${version}` },
                    { head: 'How', cell: ({ rollback }) => (rollback ? 'rolled back' : 'promoted') },
                    { head: 'Why', cell: ({ reason }) => reason },
                    { head: 'Who', cell: ({ actor }) => <Named id={actor} /> },
                  ]}
                />
              )}
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function LineageOf({
  model: { version, versions },
}: {
  readonly model: Schema['NamedModelRecord'];
}): ReactElement | null {
  const job = versions?.find((each) => each.version === version)?.training_job_id;
  return job ? <ModelLineage key={job} jobId={job} /> : null;
}
