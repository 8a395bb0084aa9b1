import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { number, percent } from '../../components/values.js';

type Index = Schema['DriftIndex'] | null;

/** How far the calls of the version in use are from what it learned, by week. */
export function Drift({ name }: { readonly name: string }): ReactElement {
  const drift = useQuery({
    queryKey: ['models', name, 'drift'],
    queryFn: () => body(api.GET('/models/{name}/drift', { params: { path: { name } } })),
  });
  return (
    <Panel title="Drift">
      <Loaded query={drift}>
        {({ weeks, training_unavailable }) =>
          weeks.length === 0 ? (
            <Empty>There were no calls of the version in use yet.</Empty>
          ) : (
            <>
              <p className="mb-2 text-sm text-muted">
                {training_unavailable ??
                  'Population stability index against the training rows: stable below 0.1, major from 0.25. It needs 200 texts a week.'}
              </p>
              <Table
                caption="Weeks, newest first"
                rows={weeks}
                rowKey={({ week }) => week}
                columns={[
                  { head: 'Week (UTC)', cell: ({ week }) => week },
                  { head: 'Calls', number: true, cell: ({ calls }) => number(calls) },
                  { head: 'Without a label', number: true, cell: (week) => percent(week.no_label_share) },
                  { head: 'Labels', cell: ({ against }) => indexOf(against.training?.labels) },
                  { head: 'Length', cell: ({ against }) => indexOf(against.training?.length) },
                  { head: 'Unseen words', cell: ({ against }) => indexOf(against.training?.unseen_words) },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

const indexOf = (index: Index | undefined): string => (index ? `${number(index.psi)} ${index.band}` : 'too few texts');
