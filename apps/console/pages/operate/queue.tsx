import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body, isForbidden } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { number } from '../../components/values.js';

interface Line {
  readonly kind: string;
  /** Null for what never waits as a whole. */
  readonly waits: number | null;
  readonly runs: number;
  readonly page: '/training' | '/models' | '/datasets';
}

/** Work of the workspace that waits for a runner or a worker, and running work. */
export function Queue(): ReactElement {
  const queue = useQuery({ queryKey: ['queue'], queryFn: findQueue, refetchInterval: 5_000 });
  return (
    <Panel title="Queue">
      <Loaded query={queue} rows={4}>
        {(lines) => (
          <div className="grid gap-2">
            <h3 className="text-sm text-muted">Of this workspace</h3>
            <Table
              caption="What waits and what runs, of this workspace"
              rows={lines}
              rowKey={({ kind }) => kind}
              columns={[
                { head: 'Kind', cell: ({ kind, page }) => <Link to={page}>{kind}</Link> },
                {
                  head: 'Waiting',
                  number: true,
                  cell: ({ waits }) => (waits === null ? '–' : number(waits)),
                  by: ({ waits }) => waits,
                },
                { head: 'Running', number: true, cell: ({ runs }) => number(runs), by: ({ runs }) => runs },
              ]}
            />
            <p className="text-sm text-muted">Runners take work of all workspaces in turns.</p>
          </div>
        )}
      </Loaded>
      <OfAll />
    </Panel>
  );
}

/** The same of all workspaces together, without names, for the operator. */
function OfAll(): ReactElement {
  const all = useQuery({
    queryKey: ['queue of all'],
    queryFn: () => body(api.GET('/queue')),
    refetchInterval: ({ state }) => (isForbidden(state.error) ? false : 5_000),
  });
  return isForbidden(all.error) ? (
    <p className="text-sm text-muted">
      This is the work of this workspace alone. Only the operator sees how much waits in all of them: the user whom
      ANNEAL_ADMIN_EMAIL names.
    </p>
  ) : (
    <div className="mt-4 grid gap-2">
      <h3 className="text-sm text-muted">Of all workspaces</h3>
      <Loaded query={all} rows={4}>
        {({ queue }) => (
          <Table
            caption="What waits and what runs, of all workspaces"
            rows={queue}
            rowKey={({ kind }) => kind}
            columns={[
              { head: 'Kind', cell: ({ kind }) => `${kind}s` },
              { head: 'Waiting', number: true, cell: ({ waiting }) => number(waiting), by: ({ waiting }) => waiting },
              { head: 'Running', number: true, cell: ({ running }) => number(running), by: ({ running }) => running },
            ]}
          />
        )}
      </Loaded>
    </div>
  );
}

const COUNT = { limit: 1 } as const;

async function findQueue(): Promise<readonly Line[]> {
  const jobs = (status: 'requested' | 'running') =>
    body(api.GET('/felix/training-jobs', { params: { query: { status, ...COUNT } } })).then(({ total }) => total);
  const evaluations = (status: 'queued' | 'running') =>
    body(api.GET('/felix/evaluations', { params: { query: { status, ...COUNT } } })).then(({ total }) => total);
  const improvements = body(api.GET('/improvements', { params: { query: { status: 'open', ...COUNT } } }));
  const [waiting, training, queued, evaluating, open] = await Promise.all([
    jobs('requested'),
    jobs('running'),
    evaluations('queued'),
    evaluations('running'),
    improvements.then(({ total }) => total),
  ]);
  return [
    { kind: 'trainings', waits: waiting, runs: training, page: '/training' },
    { kind: 'evaluations', waits: queued, runs: evaluating, page: '/training' },
    { kind: 'improvements', waits: null, runs: open, page: '/models' },
  ];
}
