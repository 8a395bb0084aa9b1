import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent, ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button, buttonClass } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Loaded, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { number, percent, Time } from '../../components/values.js';
import type { Evaluation } from './evaluation.js';

const OPEN: ReadonlySet<string> = new Set(['queued', 'running']);

/** All measurements of a job's model, each with its rows and its interval, and a form for another one. */
export function Measured({ jobId }: { readonly jobId: string }): ReactElement {
  const evaluations = useQuery({
    queryKey: ['evaluations', 'of job', jobId, 'all'],
    queryFn: () =>
      body(api.GET('/felix/evaluations', { params: { query: { training_job_id: jobId, limit: 50 } } })).then(
        (list) => list.evaluations,
      ),
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => OPEN.has(status)) ? 2_000 : false),
  });
  return (
    <Panel
      title="How good it is"
      actions={
        <Link className={buttonClass()} to="/training/compare" search={{ job: jobId }}>
          Compare
        </Link>
      }
    >
      <div className="grid gap-4">
        <Loaded query={evaluations}>
          {(list) => (
            <Table
              caption="Measurements, newest first"
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                { head: 'On', cell: rowsOf },
                { head: 'Rows', number: true, cell: ({ sample_count: rows }) => (rows === null ? '–' : number(rows)) },
                {
                  head: 'F1',
                  number: true,
                  cell: ({ f1, status }) => (f1 === null ? <Status status={status} /> : percent(f1)),
                },
                { head: '95% interval', number: true, cell: intervalOf },
                { head: 'By head', cell: headsOf },
                { head: 'When', cell: ({ completed_at, created_at }) => <Time at={completed_at ?? created_at} /> },
              ]}
            />
          )}
        </Loaded>
        <p className="text-sm text-muted">
          Figures on different rows differ by chance: trust the interval, and the figure on rows that were written
          separately before the one on rows held out of the training data.
        </p>
        <Permitted sends="POST /felix/evaluations">
          <Measure jobId={jobId} />
        </Permitted>
      </div>
    </Panel>
  );
}

const rowsOf = ({ dataset_name, version_number, automatic, folds }: Evaluation): string =>
  `${dataset_name}/${version_number}${folds === null ? (automatic ? ', rows held out' : '') : ', cross-validated'}`;

function intervalOf({ metrics }: Evaluation): string {
  const f1 = metrics?.intervals?.f1;
  return f1 ? `${percent(f1.low)} to ${percent(f1.high)}` : '–';
}

function headsOf({ metrics }: Evaluation): string {
  const heads = Object.entries((metrics?.heads ?? {}) as Readonly<Record<string, { readonly f1?: number }>>);
  const known = heads.flatMap(([head, { f1 }]) => (typeof f1 === 'number' ? [`${head} ${percent(f1)}`] : []));
  return known.join(', ') || '–';
}

/** Measures the model on a dataset. */
function Measure({ jobId }: { readonly jobId: string }): ReactElement {
  const queries = useQueryClient();
  const datasets = useQuery({
    queryKey: ['datasets', 'to measure on'],
    queryFn: () => body(api.GET('/felix/datasets', { params: { query: { limit: 200 } } })),
    meta: { late: true },
  });
  const measure = useMutation({
    mutationFn: (order: Schema['StartEvaluationBody']) => body(api.POST('/felix/evaluations', { body: order })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['evaluations'] }),
  });
  const ready = datasets.data?.datasets.filter(({ status }) => status === 'ready') ?? [];
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    measure.mutate({ model_id: jobId, dataset_name: textOf(new FormData(event.currentTarget), 'dataset') });
  };
  return (
    <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
      <Select label="Measure it on" name="dataset" required>
        {ready.map(({ id, name, version_number, sample_size }) => (
          <option key={id} value={name}>
            {name}/{version_number}, {number(sample_size)} rows
          </option>
        ))}
      </Select>
      <Button type="submit" disabled={ready.length === 0 || measure.isPending}>
        Measure
      </Button>
      <Problem error={measure.error} />
    </form>
  );
}
