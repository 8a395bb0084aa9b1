import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { partQuery } from '../../api/queries.js';
import { Button, buttonClass } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Loaded, Loading, Problem } from '../../components/states.js';
import { counted } from '../../components/values.js';
import type { Job } from './live-job.js';
import { differingRows } from './runs.js';

interface Props {
  readonly ids: readonly string[];
  readonly onClear: () => void;
}

/** The chosen runs in one chart, and two of them on the way to their comparison. */
export function ChosenRuns({ ids, onClear }: Props): ReactElement {
  const runs = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['training-jobs', id],
      queryFn: () => body(api.GET('/felix/training-jobs/{id}', { params: { path: { id } } })),
      refetchInterval: ({ state }: { state: { data?: Job | undefined } }) =>
        state.data?.is_terminal_status === false ? 2_000 : (false as const),
    })),
  });
  const charts = useQuery(partQuery('run charts', () => import('./run-charts.js')));
  const jobs = runs.flatMap(({ data }) => data ?? []);
  const [one, other] = ids;
  return (
    <Panel
      title={`${counted(ids.length, 'run')} chosen`}
      actions={
        <>
          {ids.length === 2 && (
            <Link className={buttonClass()} to="/training/compare" search={{ job: one, with: other }}>
              Compare
            </Link>
          )}
          <Button kind="quiet" onClick={onClear}>
            Choose none
          </Button>
        </>
      }
    >
      <Problem error={runs.find(({ error }) => error)?.error ?? null} />
      {jobs.length < ids.length ? (
        <Loading rows={10} />
      ) : (
        <Loaded query={charts} rows={10}>
          {({ RunCharts }) => <RunCharts jobs={jobs} />}
        </Loaded>
      )}
      <Differ jobs={jobs} />
    </Panel>
  );
}

function Differ({ jobs }: { readonly jobs: readonly Job[] }): ReactElement | null {
  const rows = differingRows(jobs);
  return rows.length === 0 ? null : (
    <p className="mt-3 text-sm text-muted">
      They are judged on different rows ({rows.join(', ')}). “Compare” measures two of them on the same ones.
    </p>
  );
}
