import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button, buttonClass } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Loading, Problem } from '../../components/states.js';
import { counted } from '../../components/values.js';
import type { Job } from './live-job.js';
import { differingRows } from './runs.js';

const RunCharts = lazy(async () => ({ default: (await import('./run-charts.js')).RunCharts }));

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
        <Suspense fallback={<Loading rows={10} />}>
          <RunCharts jobs={jobs} />
        </Suspense>
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
