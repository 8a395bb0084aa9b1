import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { bytes, dollars, Figure, number } from '../../components/values.js';

/** The workspace's use beside its limits, and its credits. */
export function Limits(): ReactElement {
  const account = useQuery({ queryKey: ['account'], queryFn: () => body(api.GET('/account')) });
  return (
    <Panel title="Use and credits">
      <Loaded query={account}>
        {({ limits, credits, enforcement, plan }) => (
          <div className="grid gap-4">
            <dl className="metrics">
              <Figure label={`Spent in ${credits.month} (UTC)`} value={dollars(credits.spent)} />
              <Figure
                label="Available"
                value={dollars(credits.available)}
                note={enforcement.enforced ? 'calls beyond it are refused' : 'not enforced'}
              />
              <Figure label="Paid balance" value={dollars(credits.paid_balance)} />
              <Figure label="Plan" value={plan} />
            </dl>
            <Table
              caption="Limits of the workspace"
              rows={limits}
              rowKey={({ name }) => name}
              columns={[
                { head: 'Limit', cell: ({ name }) => name.replaceAll('_', ' ') },
                {
                  head: 'Used',
                  number: true,
                  cell: ({ used, unit }) => (used === null ? 'not counted' : amount(used, unit)),
                },
                { head: 'At most', number: true, cell: ({ limit, unit }) => amount(limit, unit) },
              ]}
            />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const amount = (count: number, unit: string): string =>
  unit === 'bytes' ? bytes(count) : `${number(count)} ${count === 1 ? unit.replace(/s$/, '') : unit}`;
