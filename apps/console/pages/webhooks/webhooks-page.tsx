import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Copy } from '../../components/copy.js';
import { Dialog } from '../../components/dialog.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/values.js';
import { fieldsOf, WebhookFields } from './fields.js';
import { Standing } from './standing.js';
import { ALL_TYPES, TYPES, type WebhookType } from './types.js';

/** Addresses to which Anneal posts what happens, and the form of a new one. */
export function WebhooksPage(): ReactElement {
  const queries = useQueryClient();
  const [adding, setAdding] = useState(false);
  const webhooks = useQuery({ queryKey: ['webhooks'], queryFn: () => body(api.GET('/webhooks')) });
  const add = useMutation({
    mutationFn: (form: FormData) => body(api.POST('/webhooks', { body: fieldsOf(form) })),
    onSuccess: () => {
      setAdding(false);
      return queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  return (
    <Page
      title="Webhooks"
      intro="Signed messages to addresses of yours when something happens, in place of asking."
      actions={
        <Button kind="main" sends="POST /webhooks" onClick={() => setAdding(true)}>
          New webhook
        </Button>
      }
    >
      {add.data && (
        <Panel title="Signing secret">
          <p className="mb-2">
            Copy it now: it is not shown again. With it, {add.data.url} verifies that messages are from here.
          </p>
          <Copy text={add.data.secret} label="The signing secret" />
        </Panel>
      )}
      <Panel title="Addresses">
        <Loaded query={webhooks}>
          {({ webhooks: list }) =>
            list.length === 0 ? (
              <Empty>Nothing is told to anybody yet. Add an address that takes POST requests.</Empty>
            ) : (
              <List webhooks={list} />
            )
          }
        </Loaded>
      </Panel>
      <Dialog title="New webhook" open={adding} onClose={() => setAdding(false)}>
        <New onAdd={add.mutateAsync} error={add.error} busy={add.isPending} />
      </Dialog>
    </Page>
  );
}

const List = ({ webhooks }: { readonly webhooks: readonly Schema['WebhookRecord'][] }): ReactElement => (
  <Table
    caption="Webhooks"
    rows={webhooks}
    rowKey={({ id }) => id}
    columns={[
      {
        head: 'Address',
        cell: ({ id, url }) => (
          <Link to="/webhooks/$id" params={{ id }} className="inline-block min-w-44 break-all">
            {url}
          </Link>
        ),
        by: ({ url }) => url,
      },
      { head: 'For', cell: ({ description }) => description ?? '–' },
      {
        head: 'Events',
        cell: ({ types }) => <Told types={types} />,
        by: ({ types }) => types.length,
      },
      { head: 'Status', cell: (webhook) => <Standing of={webhook} />, by: ({ enabled }) => String(enabled) },
      {
        head: 'Last delivered',
        cell: ({ last_delivered_at: at }) => <Time at={at} />,
        by: (each) => each.last_delivered_at,
      },
    ]}
  />
);

/** The types of its messages, by name where they are few. */
const Told = ({ types }: { readonly types: readonly WebhookType[] }): ReactElement =>
  types.length <= 2 ? (
    <>{types.map((type) => TYPES[type]).join('; ')}</>
  ) : (
    <span title={types.map((type) => TYPES[type]).join('\n')}>
      {types.length === ALL_TYPES.length ? `all ${types.length}` : `${types.length} of ${ALL_TYPES.length}`}
    </span>
  );

interface NewProps {
  readonly onAdd: (form: FormData) => Promise<unknown>;
  readonly error: Error | null;
  readonly busy: boolean;
}

function New({ onAdd, error, busy }: NewProps): ReactElement {
  const kept = useKeptForm('new webhook');
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    await onAdd(new FormData(form));
    form.reset();
    kept.forget();
  };
  return (
    // A refusal is shown below.
    <form ref={kept.ref} onSubmit={(event) => void submit(event).catch(() => null)} className="grid gap-3">
      <WebhookFields />
      <Problem error={error} />
      <div>
        <Button kind="main" type="submit" disabled={busy}>
          Add webhook
        </Button>
      </div>
    </form>
  );
}
