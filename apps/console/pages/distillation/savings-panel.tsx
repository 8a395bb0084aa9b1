import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactElement } from 'react';
import type { Line } from '../../components/chart.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { aboutDollars, dollars, duration, Figure, number, percent } from '../../components/values.js';
import { DAYS, savedIn, savingsQuery, type Savings } from './savings-queries.js';

type Day = Savings['days'][number];

const Chart = lazy(async () => ({ default: (await import('../../components/chart.js')).Chart }));

/** What a distilled name answers by itself, and what that saves, by day. */
export function SavingsPanel({ name }: { readonly name: string }): ReactElement {
  const savings = useQuery(savingsQuery(name));
  return (
    <Panel title={`Savings of the last ${DAYS} days (UTC)`}>
      <Loaded query={savings}>
        {(all) =>
          all.calls === 0 ? (
            <Empty>No call of a distilled version was answered in this time.</Empty>
          ) : (
            <div className="grid gap-4">
              <Figures all={all} />
              {all.days.length > 1 && <Charts days={all.days} />}
              <ByDay name={name} days={all.days.toReversed()} />
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Figures({ all }: { readonly all: Savings }): ReactElement {
  const saved = savedIn(all);
  return (
    <dl className="metrics">
      <Figure label="Calls" value={number(all.calls)} />
      <Figure
        label="Answered by the small model"
        value={percent(all.share ?? 0)}
        note={`${number(all.answered)} of ${number(all.calls)}`}
      />
      <Figure
        label="Agrees with the teacher"
        value={all.agreement === null ? '–' : percent(all.agreement.agreement)}
        note={`of ${number(all.audited)} audited${all.agreement === null ? '' : `; 95% interval ${intervalOf(all.agreement)}`}`}
      />
      <Figure
        label="Cost"
        value={aboutDollars(all.cost)}
        note={
          all.cost_before === null
            ? 'the teacher answered no call'
            : `${aboutDollars(all.cost_before)} at the teacher alone`
        }
      />
      <Figure
        label="Saved"
        value={saved === null ? '–' : aboutDollars(saved)}
        note="audits and failed calls taken off"
      />
      <Figure
        label="Latency, mean"
        value={latencyOf(all.latency_ms)}
        note={all.latency_ms_before === null ? '' : `${duration(all.latency_ms_before)} at the teacher`}
      />
    </dl>
  );
}

const latencyOf = (ms: number | null): string => (ms === null ? '–' : duration(ms));

const intervalOf = ({ low, high }: NonNullable<Savings['agreement']>): string => `${percent(low)} to ${percent(high)}`;

/** With its interval of 95%. */
const agreementOf = ({ agreement }: Pick<Savings, 'agreement'>): string =>
  agreement === null ? '–' : `${percent(agreement.agreement)} (${intervalOf(agreement)})`;

/** Measures by day, each with the lines that it has. */
const CHARTS: readonly {
  readonly title: string;
  readonly unit: string;
  readonly range?: readonly [number, number];
  readonly lines: readonly (readonly [string, Line['colour'], (day: Day) => number | null])[];
}[] = [
  {
    ...{ title: 'Calls', unit: 'calls' },
    lines: [
      ['all', 'muted', ({ calls }) => calls],
      ['by the small model', 'accent', ({ answered }) => answered],
    ],
  },
  {
    ...{ title: 'Agreement of audited answers', unit: 'share', range: [0, 1] },
    lines: [
      ['agreement', 'good', ({ agreement }) => agreement?.agreement ?? null],
      ['low', 'muted', ({ agreement }) => agreement?.low ?? null],
      ['high', 'muted', ({ agreement }) => agreement?.high ?? null],
    ],
  },
  {
    ...{ title: 'Cost', unit: 'dollars' },
    lines: [
      ['at the teacher alone', 'muted', (day) => day.cost_before],
      ['as it is', 'accent', ({ cost }) => cost],
    ],
  },
  {
    ...{ title: 'Latency', unit: 'ms' },
    lines: [
      ['at the teacher', 'muted', (day) => day.latency_ms_before],
      ['as it is', 'accent', (day) => day.latency_ms],
    ],
  },
];

/** @param days oldest first */
const Charts = ({ days }: { readonly days: readonly Day[] }): ReactElement => (
  <div className="grid gap-4 lg:grid-cols-2">
    {CHARTS.map(({ title, unit, range, lines }) => (
      <figure key={title} className="min-w-0">
        <figcaption className="text-sm text-muted">{title}</figcaption>
        <Suspense fallback={<div className="h-48" />}>
          <Chart
            summary={`${title} of ${days.length} days; the table below has the values`}
            x={{ label: 'day (UTC)', time: true, values: days.map(({ day }) => Date.parse(day) / 1_000) }}
            left={{ label: unit, ...(range && { range }) }}
            lines={lines.map(([label, colour, valueOf]) => ({ label, colour, values: days.map(valueOf) }))}
            height={180}
          />
        </Suspense>
      </figure>
    ))}
  </div>
);

/** @param days newest first */
const ByDay = ({ name, days }: { readonly name: string; readonly days: readonly Day[] }): ReactElement => (
  <Table
    caption={`Savings of ${name} by day`}
    rows={days}
    rowKey={({ day }) => day}
    columns={[
      { head: 'Day (UTC)', cell: ({ day }) => day },
      { head: 'Calls', number: true, cell: ({ calls }) => number(calls) },
      { head: 'By the small model', number: true, cell: ({ share }) => (share === null ? '–' : percent(share)) },
      { head: 'Agreement', number: true, cell: agreementOf },
      { head: 'Cost', number: true, cell: ({ cost }) => dollars(cost) },
      {
        head: 'Cost at the teacher',
        number: true,
        cell: (day) => (day.cost_before === null ? '–' : dollars(day.cost_before)),
      },
      { head: 'Latency', number: true, cell: (day) => latencyOf(day.latency_ms) },
      { head: 'Latency at the teacher', number: true, cell: (day) => latencyOf(day.latency_ms_before) },
    ]}
  />
);
