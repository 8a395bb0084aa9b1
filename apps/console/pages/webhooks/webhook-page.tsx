import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { FormEvent, ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Delete } from '../../components/delete.js';
import { Headline } from '../../components/headline.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Page, Panel } from '../../components/page.js';
import { Editable, Permitted } from '../../components/permitted.js';
import { Loaded, Problem } from '../../components/states.js';
import { toast } from '../../components/toast.js';
import { Time } from '../../components/values.js';
import { Deliveries } from './deliveries.js';
import { fieldsOf, WebhookFields } from './fields.js';
import { Rotate } from './rotate.js';
import { Standing } from './standing.js';

type Webhook = Schema['WebhookRecord'];

/** One webhook: whether it is reached, what was sent to it, and what it is told. */
export function WebhookPage(): ReactElement {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const queries = useQueryClient();
  const path = { id };
  const webhook = useQuery({
    queryKey: ['webhooks', id],
    queryFn: () => body(api.GET('/webhooks/{id}', { params: { path } })),
    refetchInterval: 5_000,
  });
  const test = useMutation({
    mutationFn: () => body(api.POST('/webhooks/{id}/test', { params: { path } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks', id] }),
  });
  const of = webhook.data;
  return (
    <Page
      title={of ? new URL(of.url).host : 'Webhook'}
      of={['Webhooks', '/webhooks']}
      state={of && <Standing of={of} />}
      intro={of && <span className="break-all">{of.url}</span>}
      actions={
        of && (
          <>
            <Button
              kind={of.enabled ? 'main' : 'plain'}
              sends="POST /webhooks/{id}/test"
              disabled={!of.enabled || test.isPending}
              onClick={() => test.mutate()}
            >
              Send a test
            </Button>
            <Rotate of={of} />
            <Permitted sends="DELETE /webhooks/{id}">
              <Delete
                what="this webhook"
                of="webhooks"
                to="/webhooks"
                proposable={false}
                onDelete={(query) => api.DELETE('/webhooks/{id}', { params: { path, query } })}
              >
                <p className="break-all">{of.url} is told nothing more, and messages that wait for it are not sent.</p>
                <p>The log keeps what was sent. The secret is lost for good: a new webhook has another one.</p>
              </Delete>
            </Permitted>
          </>
        )
      }
    >
      <Problem error={test.error} />
      <Loaded query={webhook} rows={10}>
        {(found) => (
          <>
            <InShort of={found} />
            <Deliveries id={id} />
            <Panel title="Address and events">
              <Change key={JSON.stringify([found.url, found.description, found.types])} of={found} />
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const WHY = {
  failing: 'no attempt succeeded for five days',
  gone: 'the address answered 410',
  asked: 'somebody asked for it',
} as const;

function InShort({ of }: { readonly of: Webhook }): ReactElement {
  const queries = useQueryClient();
  const enable = useMutation({
    mutationFn: (enabled: boolean) =>
      body(api.PATCH('/webhooks/{id}', { params: { path: { id: of.id } }, body: { enabled } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  const toggle = (
    <Button
      kind={of.enabled ? 'plain' : 'main'}
      sends="PATCH /webhooks/{id}"
      disabled={enable.isPending}
      onClick={() => enable.mutate(!of.enabled)}
    >
      {of.enabled ? 'Disable the webhook' : 'Enable the webhook'}
    </Button>
  );
  return (
    <>
      <Problem error={enable.error} />
      {!of.enabled ? (
        <Headline kind="bad" then="What happens meanwhile is not told later." action={toggle}>
          <b>Nothing is sent</b>: disabled <Time at={of.disabled_at} />
          {of.disabled_reason && `, since ${WHY[of.disabled_reason]}`}.
        </Headline>
      ) : of.failing_since !== null ? (
        <Headline kind="warn" then="After five days without a success it is disabled." action={toggle}>
          <b>Messages do not arrive</b> since <Time at={of.failing_since} />.
        </Headline>
      ) : of.last_delivered_at !== null ? (
        <Headline kind="good" action={toggle}>
          <b>Messages arrive</b>: the last one <Time at={of.last_delivered_at} />.
        </Headline>
      ) : (
        <Headline
          kind="info"
          then="Send a test: it shows what arrives, and whether the signature is right."
          action={toggle}
        >
          <b>Nothing was delivered yet.</b>
        </Headline>
      )}
    </>
  );
}

function Change({ of }: { readonly of: Webhook }): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm(`webhook ${of.id}`);
  const change = useMutation({
    mutationFn: (form: FormData) =>
      body(api.PATCH('/webhooks/{id}', { params: { path: { id: of.id } }, body: fieldsOf(form) })),
    onSuccess: async () => {
      kept.forget();
      toast('Changed the webhook.');
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change.mutate(new FormData(event.currentTarget));
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <Editable sends="PATCH /webhooks/{id}">
        <WebhookFields of={of} />
      </Editable>
      <Problem error={change.error} />
      <div>
        <Button type="submit" sends="PATCH /webhooks/{id}" disabled={change.isPending}>
          Save changes
        </Button>
      </div>
    </form>
  );
}
