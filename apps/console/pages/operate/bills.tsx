import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Named } from '../../components/named.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Shortened, Table } from '../../components/table.js';
import { dollars, number, Time } from '../../components/values.js';

const ROWS = 50;

/** The cost of the workspace's calls, and the account's payments and adjustments. */
export function Bills(): ReactElement {
  const usage = useQuery({
    queryKey: ['usage'],
    queryFn: () => body(api.GET('/account/usage', { params: { query: { limit: ROWS } } })),
  });
  const ledger = useQuery({
    queryKey: ['ledger'],
    queryFn: () => body(api.GET('/account/ledger', { params: { query: { limit: ROWS } } })),
  });
  return (
    <>
      <Panel title="Bill by day, model and key">
        <Loaded query={usage} rows={6}>
          {({ usage: rows, total }) =>
            rows.length === 0 ? (
              <Empty>Nothing was called yet.</Empty>
            ) : (
              <>
                <Table
                  caption="Bill by day (UTC), model and key"
                  rows={rows}
                  rowKey={(row) => `${row.day} ${row.model_id} ${row.api_key_id}`}
                  columns={[
                    { head: 'Day (UTC)', cell: ({ day }) => day },
                    { head: 'Model', cell: ({ model_id }) => <Named id={model_id} /> },
                    {
                      head: 'API key',
                      cell: ({ api_key_id }) => (api_key_id ? <Named id={`key:${api_key_id}`} /> : 'session'),
                    },
                    {
                      head: 'Calls',
                      number: true,
                      cell: ({ request_count }) => number(request_count),
                      by: ({ request_count }) => request_count,
                    },
                    {
                      head: 'Failed',
                      number: true,
                      cell: ({ failed_count }) => number(failed_count),
                      by: ({ failed_count }) => failed_count,
                    },
                    {
                      head: 'Tokens in',
                      number: true,
                      cell: ({ input_tokens }) => number(input_tokens),
                      by: ({ input_tokens }) => input_tokens,
                    },
                    {
                      head: 'Tokens out',
                      number: true,
                      cell: ({ output_tokens }) => number(output_tokens),
                      by: ({ output_tokens }) => output_tokens,
                    },
                    { head: 'Cost (USD)', number: true, cell: ({ cost }) => dollars(cost), by: ({ cost }) => cost },
                  ]}
                />
                <Shortened shown={rows.length} total={total} which="newest" />
              </>
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Ledger">
        <Loaded query={ledger}>
          {({ entries, total }) =>
            entries.length === 0 ? (
              <Empty>No credit was added or changed. An operator does that with npx anneal credits.</Empty>
            ) : (
              <>
                <Table
                  caption="Ledger"
                  rows={entries}
                  rowKey={({ id }) => id}
                  columns={[
                    { head: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
                    { head: 'Kind', cell: ({ kind }) => kind.replaceAll('_', ' ') },
                    {
                      head: 'Amount (USD)',
                      number: true,
                      cell: ({ amount }) => (amount === null ? 'default' : dollars(amount)),
                    },
                    { head: 'Reason', cell: ({ reason }) => reason ?? '–' },
                  ]}
                />
                <Shortened shown={entries.length} total={total} which="newest" />
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}
