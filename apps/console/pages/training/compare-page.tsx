import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Select } from '../../components/field.js';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { trainedTitle } from '../../components/trained-title.js';
import { Table } from '../../components/table.js';
import { useFilters } from '../../components/use-filters.js';
import { counted, number, percent } from '../../components/values.js';
import { betterOf, isSure, judgedRowsOf, pValue } from './comparison.js';
import { useAutomaticEvaluation } from './evaluation.js';
import { useLiveJob, type Job } from './live-job.js';
import { settingsOf } from './parameters.js';

type Evaluation = Schema['EvaluationRecord'];

/**
 * Two jobs side by side: their training, their figures, and on the same rows, which of them is better. `?job=&with=`; where the
 * address leaves one out, the newest that suits.
 */
export function ComparePage(): ReactElement {
  const [{ job = '', with: other = '' }, change] = useFilters();
  const jobs = useQuery({
    queryKey: ['training-jobs', 'complete'],
    queryFn: () =>
      body(api.GET('/felix/training-jobs', { params: { query: { limit: 200 } } })).then(({ training_jobs }) =>
        training_jobs.filter(({ normalized_status }) => normalized_status === 'complete'),
      ),
  });
  return (
    <Page title="Compare two trainings" of={['Training', '/training']}>
      <Loaded query={jobs}>
        {(list) => {
          const first = job || list.find(({ id }) => id !== other)?.id;
          const second = other || nearest(list, first);
          if (!first || !second)
            return (
              <Empty>
                Two trainings that are complete can be compared. <Link to="/training/new">Train another model</Link>
              </Empty>
            );
          return (
            <>
              <Panel>
                <div className="flex flex-wrap gap-3">
                  <Choice label="One" value={first} jobs={list} onChange={(id) => change({ job: id, with: second })} />
                  <Choice
                    label="The other"
                    value={second}
                    jobs={list}
                    onChange={(id) => change({ job: first, with: id })}
                  />
                </div>
              </Panel>
              <SideBySide key={`${first} ${second}`} one={first} other={second} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** The newest other job, of the same name if there is one. */
function nearest(jobs: readonly Job[], of: string | undefined): string | undefined {
  const others = jobs.filter(({ id }) => id !== of);
  const name = jobs.find(({ id }) => id === of)?.model_name;
  return (others.find(({ model_name }) => model_name === name) ?? others[0])?.id;
}

const Choice = ({
  label,
  value,
  jobs,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly jobs: readonly Job[];
  readonly onChange: (id: string) => void;
}): ReactElement => (
  <Select label={label} value={value} onChange={({ target }) => onChange(target.value)}>
    {jobs.every(({ id }) => id !== value) && <option value={value}>training {value.slice(0, 8)}</option>}
    {jobs.map((job) => (
      <option key={job.id} value={job.id}>
        {trainedTitle(job)}
      </option>
    ))}
  </Select>
);

function SideBySide({ one, other }: { readonly one: string; readonly other: string }): ReactElement {
  const jobs = [useLiveJob(one), useLiveJob(other)];
  const evaluations = [useAutomaticEvaluation(one), useAutomaticEvaluation(other)];
  const [a, b] = jobs.map(({ data }) => data);
  const [first, second] = evaluations.map(({ data }) => data);
  return (
    <>
      <Problem error={[...jobs, ...evaluations].find(({ error }) => error)?.error ?? null} />
      {a && b && <Differences one={a} other={b} />}
      {first?.status === 'complete' && second?.status === 'complete' ? (
        <SameRows one={first} other={second} rowsOf={a ? judgedRowsOf(a.datasets) : ''} />
      ) : (
        <Empty>They are compared on the same rows once both are evaluated.</Empty>
      )}
    </>
  );
}

const share = (value: number | null | undefined): string => (typeof value === 'number' ? percent(value) : '–');

interface Fact {
  readonly name: string;
  readonly of: (job: Job) => string;
  /** The larger, the better; absent for facts that are only different. */
  readonly figure?: (job: Job) => number | null | undefined;
}

const figure = (name: string, of: NonNullable<Fact['figure']>): Fact => ({
  name,
  of: (job) => share(of(job)),
  figure: of,
});

const FIGURES: readonly Fact[] = [
  figure('F1 on rows held out', ({ metrics }) => metrics?.f1),
  figure('Precision', ({ metrics }) => metrics?.precision),
  figure('Recall', ({ metrics }) => metrics?.recall),
];

function Differences({ one, other }: { readonly one: Job; readonly other: Job }): ReactElement {
  const labels = [...new Set([one, other].flatMap(({ metrics }) => Object.keys(metrics?.per_entity ?? {})))];
  const [differing, same] = settingsOf(one, other);
  const figures = [...FIGURES, ...labels.map((label) => figure(`F1 of ${label}`, f1Of(label)))];
  return (
    <Panel title="As they were trained">
      <p className="mb-2 text-sm text-muted">The better of two figures is bold; below is whether that is sure.</p>
      <Facts caption="Facts of both jobs" rows={[...differing, ...figures]} one={one} other={other} />
      {same.length > 0 && (
        <details className="mt-3">
          <summary>{counted(same.length, 'setting')} of both are the same</summary>
          <Facts caption="Settings that are the same" rows={same} one={one} other={other} />
        </details>
      )}
    </Panel>
  );
}

const f1Of =
  (label: string): NonNullable<Fact['figure']> =>
  ({ metrics }) =>
    metrics?.per_entity[label]?.f1;

interface FactsProps {
  readonly caption: string;
  readonly rows: readonly Fact[];
  readonly one: Job;
  readonly other: Job;
}

function Facts({ caption, rows, one, other }: FactsProps): ReactElement {
  const cell = (job: Job, which: 'one' | 'other', { of, figure: value }: Fact): ReactNode =>
    value && betterOf(value(one), value(other)) === which ? <strong>{of(job)}</strong> : of(job);
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        { head: 'What', cell: ({ name }) => name },
        { head: one.model_name, cell: (fact) => cell(one, 'one', fact) },
        { head: `${other.model_name} (the other)`, cell: (fact) => cell(other, 'other', fact) },
      ]}
    />
  );
}

interface SameRowsProps {
  readonly one: Evaluation;
  readonly other: Evaluation;
  /** Where the rows come from. */
  readonly rowsOf: string;
}

function SameRows({ one, other, rowsOf }: SameRowsProps): ReactElement {
  const comparison = useQuery({
    queryKey: ['evaluations', one.id, 'comparison', other.id],
    queryFn: () =>
      body(
        api.GET('/felix/evaluations/{id}/comparison', {
          params: { path: { id: one.id }, query: { with: other.id } },
        }),
      ),
    retry: false,
  });
  return (
    <Panel title="On the same rows">
      <Loaded query={comparison}>
        {({ figures, sample_count }) => (
          <>
            <p className="mb-2 text-sm text-muted">
              {number(sample_count)} rows {rowsOf}. A difference is sure, and the better figure bold, where its interval
              does not hold 0.
            </p>
            <Table
              caption="Figures of both on the same rows"
              rows={Object.entries(figures).filter((entry): entry is [string, Figure] => !!entry[1])}
              rowKey={([name]) => name}
              columns={[
                { head: 'Figure', cell: ([name]) => name.replaceAll('_', ' ') },
                { head: 'One', number: true, cell: ([, each]) => valueOf(each, 'one') },
                { head: 'The other', number: true, cell: ([, each]) => valueOf(each, 'other') },
                {
                  head: 'Difference (95% interval)',
                  number: true,
                  cell: ([, { difference }]) => intervalOf(difference),
                },
                {
                  head: 'Better in (rows)',
                  number: true,
                  cell: ([, { wins }]) => number(wins),
                  by: ([, { wins }]) => wins,
                },
                {
                  head: 'Worse in (rows)',
                  number: true,
                  cell: ([, { losses }]) => number(losses),
                  by: ([, { losses }]) => losses,
                },
                {
                  head: 'p',
                  number: true,
                  cell: ([, { p_value }]) => pValue(p_value),
                  by: ([, { p_value }]) => p_value,
                },
              ]}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

type Figure = Schema['ComparedFigure'];

function valueOf({ value, with_value: other, difference }: Figure, which: 'one' | 'other'): ReactNode {
  const said = percent(which === 'one' ? value : other);
  return isSure(difference) && betterOf(value, other) === which ? <strong>{said}</strong> : said;
}

const intervalOf = ({ value, low, high }: Figure['difference']): string =>
  low === null || high === null ? percent(value) : `${percent(value)} (${percent(low)} to ${percent(high)})`;
