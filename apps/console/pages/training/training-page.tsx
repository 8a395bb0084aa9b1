import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { buttonClass } from '../../components/button.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Empty, Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Pages, Table, usePage } from '../../components/table.js';
import { useFilters } from '../../components/use-filters.js';
import { counted, percent, Time } from '../../components/values.js';
import { ChosenRuns } from './chosen-runs.js';
import { MAX_RUNS } from './runs.js';

/** The jobs, and the runs of `?runs=` in one chart. */
export function TrainingPage(): ReactElement {
  const page = usePage();
  const [{ runs = '' }, change] = useFilters();
  const chosen = [...new Set(runs.split(',').filter(Boolean))].slice(0, MAX_RUNS);
  const choose = (ids: readonly string[]): void => change({ runs: ids.join(',') });
  const jobs = useQuery({
    queryKey: ['training-jobs', 'all', page],
    queryFn: () => body(api.GET('/felix/training-jobs', { params: { query: page } })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.training_jobs.some((job) => !job.is_terminal_status) ? 1_500 : 30_000),
  });
  return (
    <Page
      title="Training"
      intro="Each run learns from the rows of datasets and makes a model. Choose runs to see them in one chart."
      actions={
        <Permitted sends="POST /felix/training-jobs">
          <Link to="/training/new" className={buttonClass('main')}>
            Train a model
          </Link>
        </Permitted>
      }
    >
      <Panel title="Jobs">
        <Loaded query={jobs}>
          {({ training_jobs, total }) =>
            total === 0 ? (
              <Empty>
                Nothing was trained yet. <Link to="/training/new">Train a first model</Link> on a dataset.
              </Empty>
            ) : (
              <>
                <Table
                  caption="Training jobs, newest first"
                  rows={training_jobs}
                  rowKey={({ id }) => id}
                  columns={[
                    {
                      head: <span className="sr-only">Choose</span>,
                      cell: ({ id, model_name }) => (
                        <label className="check">
                          <input
                            type="checkbox"
                            aria-label={`Choose ${model_name}, ${id.slice(0, 8)}`}
                            checked={chosen.includes(id)}
                            disabled={!chosen.includes(id) && chosen.length === MAX_RUNS}
                            onChange={({ target }) =>
                              choose(target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
                            }
                          />
                        </label>
                      ),
                    },
                    {
                      head: 'Model',
                      cell: ({ id, model_name }) => (
                        <Link to="/training/$id" params={{ id }}>
                          {model_name}
                        </Link>
                      ),
                    },
                    { head: 'Status', cell: (job) => <Standing job={job} /> },
                    {
                      head: 'Datasets',
                      cell: ({ datasets }) => datasets.map(({ name, version }) => `${name}/${version}`).join(', '),
                    },
                    {
                      head: 'F1',
                      number: true,
                      cell: ({ metrics }) => f1Of(metrics),
                      by: ({ metrics }) => metrics?.f1 ?? null,
                    },
                    { head: 'Weakest label', cell: ({ metrics }) => weakestOf(metrics) },
                    { head: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
                  ]}
                />
                <Pages total={total} />
              </>
            )
          }
        </Loaded>
      </Panel>
      {chosen.length > 0 && <ChosenRuns ids={chosen} onClear={() => choose([])} />}
    </Page>
  );
}

type Job = Schema['TrainingJobRecord'];

/** The job's state and, while it runs, how far it has come. */
const Standing = ({
  job: { status, model_name, progress_percent, is_terminal_status },
}: {
  readonly job: Job;
}): ReactElement => (
  <>
    <Status status={status} />
    {!is_terminal_status && (
      <progress className="mt-1 w-24" max={100} value={progress_percent} aria-label={`${model_name}: percent done`} />
    )}
  </>
);

/** With the number of the rows, without which it says little. */
function f1Of(metrics: Job['metrics']): string {
  if (typeof metrics?.f1 !== 'number') return '–';
  const { f1, judged_rows: rows } = metrics;
  return rows === null ? percent(f1) : `${percent(f1)} of ${counted(rows, 'row')}`;
}

function weakestOf(metrics: Job['metrics']): string {
  const [weakest] = Object.entries(metrics?.per_entity ?? {})
    .filter(([, { support }]) => support > 0)
    .toSorted(([, a], [, b]) => a.f1 - b.f1);
  return weakest && weakest[1].f1 < 1 ? `${weakest[0]} ${percent(weakest[1].f1)}` : '–';
}
