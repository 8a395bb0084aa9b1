import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { number, percent } from '../../components/values.js';

type Index = Schema['DriftIndex'] | null;
type Week = Schema['DriftWeekRecord'];

const Chart = lazy(async () => ({ default: (await import('../../components/chart.js')).Chart }));

const MEASURES = [
  ['labels', 'Labels', 'accent'],
  ['length', 'Length', 'info'],
  ['unseen_words', 'Unseen words', 'good'],
] as const;

/** Distance of the calls of the version in use from its training data, by week. */
export function Drift({ name }: { readonly name: string }): ReactElement {
  const drift = useQuery({
    queryKey: ['models', name, 'drift'],
    queryFn: () => body(api.GET('/models/{name}/drift', { params: { path: { name }, query: { weeks: 26 } } })),
  });
  return (
    <Panel title="Drift">
      <Loaded query={drift}>
        {({ weeks, training_unavailable }) =>
          weeks.length === 0 ? (
            <Empty>There were no calls of the version in use yet.</Empty>
          ) : (
            <div className="grid gap-3">
              <p className="text-sm text-muted">
                {training_unavailable ??
                  'Population stability index against the training rows: stable below 0.1, major from 0.25. It needs 200 texts a week.'}
              </p>
              {weeks.filter(isCompared).length > 1 && <Curve weeks={weeks.toReversed()} />}
              <Table
                caption="Weeks, newest first"
                rows={weeks}
                rowKey={({ week }) => week}
                columns={[
                  { head: 'Week (UTC)', cell: ({ week }) => week },
                  { head: 'Calls', number: true, cell: ({ calls }) => number(calls), by: ({ calls }) => calls },
                  {
                    head: 'Without a label',
                    number: true,
                    cell: (week) => percent(week.no_label_share),
                    by: (week) => week.no_label_share,
                  },
                  ...MEASURES.map(([measure, head]) => ({
                    head,
                    cell: ({ against }: Week) => indexOf(against.training?.[measure]),
                  })),
                ]}
              />
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

const isCompared = ({ against }: Week): boolean => MEASURES.some(([measure]) => against.training?.[measure]);

/** @param weeks oldest first */
const Curve = ({ weeks }: { readonly weeks: readonly Week[] }): ReactElement => (
  <Suspense fallback={<div className="h-72" />}>
    <Chart
      summary={`Population stability index of ${weeks.length} weeks; the table below has its values`}
      x={{ label: 'week (UTC)', time: true, values: weeks.map(({ begins }) => Date.parse(begins) / 1_000) }}
      left={{ label: 'index' }}
      lines={MEASURES.map(([measure, label, colour]) => ({
        ...{ label, colour },
        values: weeks.map(({ against }) => against.training?.[measure]?.psi),
      }))}
    />
  </Suspense>
);

const indexOf = (index: Index | undefined): string => (index ? `${number(index.psi)} ${index.band}` : 'too few texts');
