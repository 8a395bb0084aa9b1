import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { json } from '../../components/json.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Pages, Table, usePage } from '../../components/table.js';
import { duration, number, Time } from '../../components/values.js';

type Delivery = Schema['WebhookDeliveryRecord'];
type Attempt = Delivery['attempts'][number];

/** How often open deliveries are looked at again. */
const EVERY_MS = 2_000;

const ERRORS: Readonly<Record<NonNullable<Attempt['error']>, string>> = {
  status: 'not 2xx',
  redirect: 'a redirect, which is not followed',
  timeout: 'no answer within 20 seconds',
  connection: 'not reached',
  address: 'not public, or without TLS',
};

/** What was sent to a webhook, each with its attempts. */
export function Deliveries({ id }: { readonly id: string }): ReactElement {
  const queries = useQueryClient();
  const page = usePage();
  const key = ['webhooks', id, 'deliveries'];
  const deliveries = useQuery({
    queryKey: [...key, page],
    queryFn: () => body(api.GET('/webhooks/{id}/deliveries', { params: { path: { id }, query: page } })),
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ status }) => status === 'pending') ? EVERY_MS : false,
  });
  const resend = useMutation({
    mutationFn: (delivery_id: string) =>
      body(api.POST('/webhooks/{id}/deliveries/{delivery_id}/resend', { params: { path: { id, delivery_id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
  return (
    <Panel title="Deliveries">
      <Problem error={resend.error} />
      <Loaded query={deliveries} rows={6}>
        {({ deliveries: list, total }) =>
          total === 0 ? (
            <Empty>Nothing was sent yet. Send a test to see what arrives.</Empty>
          ) : (
            <>
              <Table
                caption="Deliveries, newest first"
                rows={list}
                rowKey={(each) => each.id}
                columns={[
                  { head: 'What', cell: (each) => <Message of={each} />, by: ({ type }) => type },
                  {
                    head: 'Happened',
                    cell: ({ timestamp }) => <Time at={timestamp} seconds />,
                    by: (each) => each.timestamp,
                  },
                  { head: 'Status', cell: ({ status }) => <Status status={status} />, by: ({ status }) => status },
                  {
                    head: 'Attempts',
                    number: true,
                    cell: ({ attempts }) => number(attempts.length),
                    by: ({ attempts }) => attempts.length,
                  },
                  { head: 'Last attempt', cell: ({ attempts }) => <Last of={attempts.at(-1)} /> },
                  {
                    head: 'Next',
                    cell: ({ next_attempt_at: at }) => (at === null ? '–' : <Time at={at} seconds />),
                  },
                  {
                    head: <span className="sr-only">Do</span>,
                    cell: ({ id: delivery, type, status }) =>
                      status !== 'pending' && (
                        <Button
                          sends="POST /webhooks/{id}/deliveries/{delivery_id}/resend"
                          aria-label={`Send ${type} again`}
                          disabled={resend.isPending}
                          onClick={() => resend.mutate(delivery)}
                        >
                          Send again
                        </Button>
                      ),
                  },
                ]}
              />
              <Pages total={total} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

const Message = ({ of: { id, type, data } }: { readonly of: Delivery }): ReactElement => (
  <details>
    <summary>{type}</summary>
    <pre tabIndex={0} aria-label={`Data of ${type}`} className="code mt-2 max-h-60 text-xs">
      {`webhook-id: ${id}\n\n${json(data)}`}
    </pre>
  </details>
);

const Last = ({ of }: { readonly of: Attempt | undefined }): ReactElement =>
  of ? (
    <>
      {of.status_code ?? 'no answer'}
      {of.error && ` (${ERRORS[of.error]})`}, {duration(of.duration_ms)}
    </>
  ) : (
    <>–</>
  );
