import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { bytes, dollars, Figure, number, percent } from '../../components/values.js';
import { useAccount } from './account.js';

/** The workspace's use beside its limits, and its credits. */
export function Limits(): ReactElement {
  const account = useAccount();
  return (
    <Panel title="Limits and budgets">
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
                { head: 'Limit', cell: ({ name }) => NAMES[name] },
                {
                  head: 'Used',
                  number: true,
                  cell: ({ used, unit }) => (used === null ? 'not counted' : amount(used, unit)),
                  by: ({ used }) => used,
                },
                {
                  head: 'At most',
                  number: true,
                  cell: ({ limit, unit }) => amount(limit, unit),
                  by: ({ limit }) => limit,
                },
                { head: 'Share used', cell: ({ used, limit }) => (used === null ? '–' : <Share of={used / limit} />) },
              ]}
            />
            <p className="text-sm text-muted">
              The operator changes limits with <code>npx anneal team limit</code> and credits with{' '}
              <code>npx anneal credits</code>.
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const NAMES: Readonly<Record<Schema['WorkspaceLimitRecord']['name'], string>> = {
  stored_bytes: 'Stored',
  stored_rows: 'Rows of datasets',
  open_uploads: 'Uploads that wait for their file',
  training_jobs: 'Training jobs at once',
  evaluations: 'Evaluations at once',
  generation_jobs: 'Generation jobs at once',
  exports: 'Exports of models at once',
  batches: 'Batches at once',
  webhooks: 'Webhooks',
  processing_versions: 'Dataset versions being read at once',
  hosted_calls: 'Calls to one provider at once, in each process',
};

const Share = ({ of }: { readonly of: number }): ReactElement => (
  <span className="flex min-w-32 items-center gap-2">
    <span className={`bar grow ${of >= 0.9 ? 'bad' : ''}`}>
      <i style={{ width: `${Math.min(100, 100 * of)}%` }} />
    </span>
    {percent(of)}
  </span>
);

const amount = (count: number, unit: string): string =>
  unit === 'bytes' ? bytes(count) : `${number(count)} ${count === 1 ? unit.replace(/s$/, '') : unit}`;
