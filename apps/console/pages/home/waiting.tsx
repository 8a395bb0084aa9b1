import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { modelNames } from '../../api/queries.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Time } from '../../components/values.js';
import { gatesThatWait } from './gates.js';

/** Items asked of the review queue; a full page reads "50 or more". */
const LOOKED_AT = 50;

/** Work that waits for a person: doubtful answers, refused gates, failed jobs and uploads. */
export function Waiting({ jobs }: { readonly jobs: readonly Schema['TrainingJobRecord'][] }): ReactElement {
  const queue = useQuery({
    queryKey: ['review', 'home'],
    queryFn: () => body(api.GET('/review', { params: { query: { strategy: 'uncertain', limit: LOOKED_AT } } })),
  });
  const datasets = useQuery({
    queryKey: ['datasets', 'failed'],
    queryFn: () => body(api.GET('/felix/datasets', { params: { query: { include_failed: true, limit: 50 } } })),
  });
  const gates = useQuery({
    queryKey: ['improvements', 'home'],
    queryFn: () => body(api.GET('/improvements', { params: { query: { status: 'done', limit: LOOKED_AT } } })),
  });
  const models = useQuery(modelNames);
  const waiting = gatesThatWait(gates.data?.improvements ?? [], models.data?.models ?? []);
  const failed = jobs.filter(({ status }) => status === 'failed');
  return (
    <Panel title="Waits for you">
      <Problem
        error={gates.error ?? models.error}
        retry={() => void Promise.all([gates.refetch(), models.refetch()])}
      />
      <Loaded query={queue}>
        {({ items }) => (
          <Loaded query={datasets}>
            {(listed) => {
              const broken = listed.datasets.filter(({ status }) => status === 'failed');
              const none = items.length + failed.length + broken.length + waiting.length === 0;
              return none ? (
                <Empty>Nothing waits.</Empty>
              ) : (
                <ul className="grid gap-2">
                  {items.length > 0 && (
                    <Item>
                      <a href="/console/review">
                        {items.length < LOOKED_AT ? items.length : `${LOOKED_AT} or more`} doubtful answers to review
                      </a>
                    </Item>
                  )}
                  {waiting.map(({ id, model, outcome, version }) => (
                    <Item key={id}>
                      {outcome === 'candidate'
                        ? `The gate let version ${version} pass, which is not in use yet: `
                        : 'The gate refused what was learned from corrections: '}
                      <a href={`/console/models/${model}`}>{model}</a>
                    </Item>
                  ))}
                  {failed.map((job) => (
                    <Item key={job.id}>
                      Training of <a href={`/console/training/${job.id}`}>{job.model_name}</a> failed,{' '}
                      <Time at={job.created_at} />
                    </Item>
                  ))}
                  {broken.map((dataset) => (
                    <Item key={dataset.id}>
                      Upload of{' '}
                      <a href={`/console/datasets/${encodeURIComponent(dataset.name)}/${dataset.version_number}`}>
                        {dataset.name}
                      </a>{' '}
                      failed: {dataset.processing_error}
                    </Item>
                  ))}
                </ul>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </Panel>
  );
}

const Item = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <li className="min-w-0 border-l-2 border-warn pl-3">{children}</li>
);
