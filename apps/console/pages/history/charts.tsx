import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Chart } from '../../components/chart.js';
import { momentsOf } from '../../components/moments.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { useFilters, type Filters } from '../../components/use-filters.js';
import { dollars, duration, number, percent } from '../../components/values.js';
import { VERDICT_NAMES, type VerdictName } from '../../components/verdict-buttons.js';
import { labelFigures } from './label-figures.js';
import { byPeriod, PERIODS, type Period } from './periods.js';

type Group = Schema['InferenceGroup'];

const useStats = (filters: Filters, group_by: 'day' | 'label') =>
  useQuery({
    queryKey: ['stats', filters, group_by],
    queryFn: () => body(api.GET('/inferences/stats', { params: { query: { ...momentsOf(filters), group_by } } })),
  });

/** Volume, latency, cost and accuracy of the calls that the filters select, by day and by label. */
export function Charts({ filters }: { readonly filters: Filters }): ReactElement {
  const days = useStats(filters, 'day');
  const labels = useStats(filters, 'label');
  return (
    <>
      <Loaded query={days} rows={12}>
        {({ groups }) =>
          groups.length === 0 ? (
            <Empty>No call is like this. Make one in the playground, or clear the filters.</Empty>
          ) : (
            <ByPeriod days={withoutGaps(groups)} />
          )
        }
      </Loaded>
      <Panel title="By label">
        <Loaded query={labels} rows={6}>
          {({ groups }) => <ByLabel groups={groups} filters={filters} />}
        </Loaded>
      </Panel>
    </>
  );
}

const DAY_MS = 86_400_000;
const MIN_DAYS = 14;
/** More days are drawn with their gaps. */
const MAX_DAYS = 3_000;

/** A group for each day from the first to the last, two weeks at least: days without calls are drawn as such. */
function withoutGaps(groups: readonly Group[]): readonly Group[] {
  const days = groups.toSorted((a, b) => (a.day! < b.day! ? -1 : 1));
  const [first, last] = [Date.parse(days[0]!.day!), Date.parse(days.at(-1)!.day!)];
  const count = Math.max(MIN_DAYS, (last - first) / DAY_MS + 1);
  if (count > MAX_DAYS) return days;
  const known = new Map(days.map((group) => [group.day, group]));
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(last - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { ...NO_CALLS, day };
  });
}

const NO_CALLS: Group = {
  ...{ count: 0, failed: 0, accuracy: null, cost: 0, confusion: [] },
  verdicts: { ...(Object.fromEntries(VERDICT_NAMES.map((name) => [name, 0])) as Record<VerdictName, number>), none: 0 },
  latency_ms: { p50: null, p95: null, p99: null },
};

/** How the days are drawn, kept in the address. */
function ByPeriod({ days }: { readonly days: readonly Group[] }): ReactElement {
  const [{ per = 'day' }, change] = useFilters();
  const period: Period = per in PERIODS ? (per as Period) : 'day';
  return (
    <>
      <div className="seg justify-self-start" role="group" aria-label="Charts by">
        {Object.entries(PERIODS).map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === period}
            onClick={() => change({ per: name === 'day' ? '' : name })}
          >
            {title}
          </button>
        ))}
      </div>
      <Drawn days={days} period={period} />
    </>
  );
}

interface DrawnProps {
  readonly days: readonly Group[];
  readonly period: Period;
}

function Drawn({ days: each, period }: DrawnProps): ReactElement {
  const days = byPeriod(each, period);
  const x = {
    label: `${period} (UTC)`,
    // Noon of a day of UTC is the same day almost everywhere.
    values: days.map(({ day }) => Date.parse(`${day}T12:00:00Z`) / 1000),
    time: true,
  };
  const of = (value: (group: Group) => number | null): readonly (number | null)[] => days.map(value);
  const last = days.at(-1)!;
  // Calls of small models cost millionths.
  const small = days.every(({ cost }) => cost < 0.01);
  const sum = (value: (group: Group) => number): number => days.reduce((total, day) => total + value(day), 0);
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title={`Calls: ${number(sum(({ count }) => count))}`}>
        <Chart
          summary={`Calls a ${period}: ${number(last.count)} on the last ${period}, ${number(last.failed)} of them failed`}
          x={x}
          left={{ label: 'calls' }}
          lines={[
            { label: 'Calls', colour: 'accent', values: of(({ count }) => count), bars: true },
            { label: 'Failed', colour: 'bad', values: of(({ failed }) => failed) },
          ]}
        />
      </Panel>
      <Panel title="Latency">
        {period === 'day' ? (
          <Chart
            summary={`Latency on the last day: half of the calls within ${last.latency_ms.p50 === null ? 'unknown' : duration(last.latency_ms.p50)}`}
            x={x}
            left={{ label: 'ms' }}
            lines={[
              { label: '50%', colour: 'good', values: of(({ latency_ms }) => latency_ms.p50) },
              { label: '95%', colour: 'info', values: of(({ latency_ms }) => latency_ms.p95) },
              { label: '99%', colour: 'bad', values: of(({ latency_ms }) => latency_ms.p99) },
            ]}
          />
        ) : (
          <Empty>Latency is drawn by day: shares of days do not add up to those of a {period}.</Empty>
        )}
      </Panel>
      <Panel title={`Cost: ${dollars(sum(({ cost }) => cost))}`}>
        <Chart
          summary={`Cost a ${period}: ${dollars(last.cost)} on the last ${period}`}
          x={x}
          left={{ label: small ? 'millionths of a USD' : 'USD' }}
          lines={[
            { label: 'Cost', colour: 'accent', values: of(({ cost }) => (small ? cost * 1e6 : cost)), bars: true },
          ]}
        />
      </Panel>
      <Panel title="Accuracy, as judged by people">
        <Chart
          summary={`Accuracy on the last ${period}: ${last.accuracy === null ? 'nothing judged' : percent(last.accuracy)}`}
          x={x}
          left={{ label: 'share correct', range: [0, 1] }}
          lines={[{ label: 'Correct', colour: 'good', values: of(({ accuracy }) => accuracy) }]}
        />
      </Panel>
    </div>
  );
}

const ByLabel = ({
  groups,
  filters,
}: {
  readonly groups: readonly Group[];
  readonly filters: Filters;
}): ReactElement =>
  groups.length === 0 ? (
    <Empty>No label was answered.</Empty>
  ) : (
    <Table
      caption="Calls by label"
      rows={groups
        .toSorted((a, b) => b.count - a.count)
        .slice(0, 200)
        .map((group) => ({ ...group, ...labelFigures(group.label ?? '', group.confusion) }))}
      rowKey={({ label }) => label ?? ''}
      columns={[
        {
          head: 'Label',
          cell: ({ label }) =>
            label ? (
              <Link to="/history" search={{ ...filters, label }}>
                {label}
              </Link>
            ) : (
              'none'
            ),
        },
        { head: 'Calls', number: true, cell: ({ count }) => number(count), by: ({ count }) => count },
        { head: 'Judged (times)', number: true, cell: ({ judged }) => number(judged), by: ({ judged }) => judged },
        {
          head: 'Right',
          number: true,
          cell: ({ judged, right }) => (judged === 0 ? '–' : percent(right / judged)),
          by: ({ judged, right }) => (judged === 0 ? null : right / judged),
        },
        {
          head: 'Latency, 95%',
          number: true,
          cell: ({ latency_ms: { p95 } }) => (p95 === null ? '–' : duration(p95)),
          by: ({ latency_ms: { p95 } }) => p95,
        },
        { head: 'Cost', number: true, cell: ({ cost }) => dollars(cost), by: ({ cost }) => cost },
        {
          head: 'Most often confused with',
          cell: ({ confused }) =>
            confused
              ? `${confused.answered ?? 'nothing'} for ${confused.corrected ?? 'nothing'} (${number(confused.count)})`
              : '–',
        },
      ]}
    />
  );
