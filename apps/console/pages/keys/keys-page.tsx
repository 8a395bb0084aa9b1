import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Copy } from '../../components/copy.js';
import { Dialog } from '../../components/dialog.js';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { toast } from '../../components/toast.js';
import { Table } from '../../components/table.js';
import { dollars, number, Time } from '../../components/values.js';
import { CreateKey } from './create-key.js';
import { KeyLimits, limitsInWords } from './key-limits.js';

type Key = Schema['ApiKeyRecord'];

const KEYS = ['keys'];

/** A key that no program used for so long may be one that nobody needs. */
const UNUSED_MS = 90 * 86_400_000;

export function KeysPage(): ReactElement {
  const queries = useQueryClient();
  const keys = useQuery({ queryKey: KEYS, queryFn: () => body(api.GET('/list-api-keys')) });
  const [made, setMade] = useState<string | null>(null);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const [limiting, setLimiting] = useState<Key | null>(null);
  const reload = (): Promise<void> => queries.invalidateQueries({ queryKey: KEYS });
  const revoke = useMutation({
    mutationFn: ({ id }: Key) => api.DELETE('/delete-api-key', { body: { key_id: id } }),
    onSuccess: async (_, { name }) => {
      setRevoking(null);
      toast(`Revoked ${name}.`);
      await reload();
    },
  });
  return (
    <Page
      title="API keys"
      intro="Programs call the API with a key. A key is shown once; the system keeps a hash of it."
      actions={
        <Button kind="main" sends="POST /create-api-key" onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      {made && (
        <Panel title="Your new key">
          <p className="mb-2">Copy it now: it is not shown again.</p>
          <Copy text={made} label="The new key" />
        </Panel>
      )}
      <Panel title="Your keys">
        <Loaded query={keys}>
          {({ keys: list }) =>
            list.length === 0 ? (
              <Empty>There are no keys yet. Make one, and give it to a program.</Empty>
            ) : (
              <Table
                caption="Your API keys"
                rows={list}
                rowKey={({ id }) => id}
                columns={[
                  {
                    head: 'Name',
                    by: ({ name }) => name,
                    cell: ({ name, api_key_last_digits: last }) => (
                      <>
                        {name} <code className="text-xs text-muted">…{last}</code>
                      </>
                    ),
                  },
                  { head: 'May', cell: ({ scopes }) => scopes?.join(', ') ?? 'everything' },
                  { head: 'Limits', cell: (key) => limitsInWords(key) || 'none' },
                  { head: 'Created', cell: (key) => <Time at={key.created_at} day /> },
                  { head: 'Expires', cell: (key) => <Time at={key.expires_at} day /> },
                  { head: 'Last used', cell: (key) => <LastUsed at={key.last_used_at} /> },
                  {
                    head: 'Calls',
                    number: true,
                    cell: (key) => number(key.request_count),
                    by: (key) => key.request_count,
                  },
                  {
                    head: 'Tokens',
                    number: true,
                    cell: (key) => number(key.usage_tokens),
                    by: (key) => key.usage_tokens,
                  },
                  {
                    head: 'Cost (USD)',
                    number: true,
                    cell: (key) => dollars(key.usage_cost),
                    by: (key) => key.usage_cost,
                  },
                  {
                    head: <span className="sr-only">Change</span>,
                    cell: (key) => (
                      <div className="flex gap-2">
                        <Button aria-label={`Limits of ${key.name}`} onClick={() => setLimiting(key)}>
                          Limits
                        </Button>
                        <Button kind="bad" aria-label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
                          Revoke
                        </Button>
                      </div>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Panel>
      <Dialog title="New key" open={making} onClose={() => setMaking(false)}>
        <CreateKey
          onMade={async (secret) => {
            setMaking(false);
            setMade(secret);
            await reload();
          }}
        />
      </Dialog>
      <Dialog title={`Limits of ${limiting?.name ?? ''}`} open={limiting !== null} onClose={() => setLimiting(null)}>
        {limiting && (
          <KeyLimits
            of={limiting}
            onDone={async () => {
              setLimiting(null);
              await reload();
            }}
          />
        )}
      </Dialog>
      <Dialog title={`Revoke ${revoking?.name ?? ''}?`} open={revoking !== null} onClose={() => setRevoking(null)}>
        <p>Programs that use this key stop working at once. It cannot be taken back.</p>
        <Problem error={revoke.error} />
        <div className="flex gap-2">
          <Button kind="bad" disabled={revoke.isPending} onClick={() => revoking && revoke.mutate(revoking)}>
            Revoke
          </Button>
          <Button onClick={() => setRevoking(null)}>Keep it</Button>
        </div>
      </Dialog>
    </Page>
  );
}

const LastUsed = ({ at }: { readonly at: string | null }): ReactElement =>
  at === null ? (
    <Status status="never used" />
  ) : (
    <>
      <Time at={at} /> {Date.now() - Date.parse(at) > UNUSED_MS && <Status status="unused" />}
    </>
  );
