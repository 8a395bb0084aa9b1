import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { useMay, type Route } from '../../api/permitted.js';
import { buttonClass } from '../../components/button.js';
import { Named } from '../../components/named.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Proposals } from '../../components/proposals.js';
import { Empty, Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { Tabs, type Tab } from '../../components/tabs.js';
import { Time } from '../../components/values.js';
import { DeleteName } from './delete-name.js';
import { Drift } from './drift.js';
import { DistilAgain, useDistilledBy } from '../distillation/distil-again.js';
import { Distillations } from '../distillation/distillations.js';
import { SavingsPanel } from '../distillation/savings-panel.js';
import { Improvements } from './improvements.js';
import { ModelLineage } from './lineage.js';
import { PolicyPanel } from './policy/policy.js';
import { SmokeTests } from './smoke-tests.js';
import { Standing, waitingOf } from './standing.js';
import { Versions } from './versions.js';

type Model = Schema['NamedModelRecord'];

/** The page of a name: its versions and their traffic, its improvements, and its drift. */
export function ModelPage(): ReactElement {
  const { name = '' }: { name?: string } = useParams({ strict: false });
  const may = useMay();
  const model = useQuery({
    queryKey: ['models', name],
    queryFn: () => body(api.GET('/models/{name}', { params: { path: { name } } })),
  });
  return (
    <Page
      shape="thing"
      title={name}
      of={['Models', '/models']}
      state={model.data && <Status status={model.data.version === null ? 'not in use' : 'in use'} />}
      intro={model.data?.description}
      actions={
        <>
          <Permitted sends="POST /inference">
            {/* A version that waits has the primary action. */}
            <a
              className={buttonClass(model.data && waitingOf(model.data) ? 'plain' : 'main')}
              href={`/console/playground?model=${name}`}
            >
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
            {/* A name without versions needs one first. */}
            <Tabs tabs={tabsOf(record, may)} start={record.versions?.length ? 'overview' : 'versions'} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function tabsOf(model: Model, may: (route: Route) => boolean): readonly Tab[] {
  const { name, version, versions = [] } = model;
  const isLearned = versions.some((each) => each.version === version && each.training_job_id !== null);
  const mayTrace = may('GET /lineage/datasets/{name}/{version}');
  const maySmoke = may('GET /felix/datasets/{name}/{version}/download');
  const overview = { name: 'overview', title: 'Overview', content: <Overview model={model} /> };
  const ofVersions = {
    ...{ name: 'versions', title: 'Versions', count: versions.length },
    content: (
      <>
        <Versions model={model} />
        <Promotions model={model} />
      </>
    ),
  };
  return [
    overview,
    ofVersions,
    ...(maySmoke ? [{ name: 'smoke-tests', title: 'Smoke tests', content: <SmokeTests model={model} /> }] : []),
    ...(version === null ? [] : [{ name: 'drift', title: 'Drift', content: <Drift name={name} /> }]),
    ...(isLearned && mayTrace ? [{ name: 'lineage', title: 'Lineage', content: <LineageOf model={model} /> }] : []),
  ];
}

function Overview({ model }: { readonly model: Model }): ReactElement {
  const { name, policy, updated_at } = model;
  const distilled = useDistilledBy(model);
  return (
    <>
      {policy?.cascade && (
        <>
          <Panel title="Who answers" actions={distilled && <DistilAgain last={distilled} cascade={policy.cascade} />}>
            <Distillations name={name} />
          </Panel>
          <Permitted sends="GET /models/{name}/savings">
            <SavingsPanel name={name} />
          </Permitted>
        </>
      )}
      <Improvements name={name} isDistilled={distilled !== undefined} />
      <PolicyPanel key={updated_at} name={name} policy={policy} />
    </>
  );
}

const Promotions = ({ model: { promotions = [] } }: { readonly model: Model }): ReactElement => (
  <Panel title="Versions in use over time">
    {promotions.length === 0 ? (
      <Empty>No version was in use yet.</Empty>
    ) : (
      <Table
        caption="Promotions, newest first"
        rows={promotions}
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
);

function LineageOf({ model: { version, versions } }: { readonly model: Model }): ReactElement | null {
  const job = versions?.find((each) => each.version === version)?.training_job_id;
  return job ? <ModelLineage key={job} jobId={job} /> : null;
}
