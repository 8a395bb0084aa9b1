import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../api/client.js';
import { useSession } from '../api/session.js';
import { Button } from './button.js';
import { Panel } from './page.js';
import { Problem } from './states.js';
import { Time } from './values.js';

type Proposal = Schema['ProposalRecord'];

/** Acts that wait for another person than the one who proposed them; nothing if there are none. */
export function Proposals(): ReactElement | null {
  const open = useQuery({
    queryKey: ['proposals'],
    queryFn: () => body(api.GET('/proposals', { params: { query: { status: 'open' } } })),
    refetchInterval: 10_000,
  });
  const waiting = open.data?.proposals.filter(({ status }) => status === 'open') ?? [];
  if (waiting.length === 0) return null;
  return (
    <Panel title="Waiting for a second person">
      <ul className="grid gap-3">
        {waiting.map((each) => (
          <Waiting key={each.id} proposal={each} />
        ))}
      </ul>
    </Panel>
  );
}

function Waiting({ proposal }: { readonly proposal: Proposal }): ReactElement {
  const { id, about, reason, ticket, proposed_by, proposer_id, expires_at } = proposal;
  const session = useSession();
  const queries = useQueryClient();
  const params = { path: { id } };
  const onSuccess = (): Promise<void> => queries.invalidateQueries();
  const confirm = useMutation({ mutationFn: () => body(api.POST('/proposals/{id}/confirm', { params })), onSuccess });
  const decline = useMutation({
    mutationFn: () => body(api.POST('/proposals/{id}/decline', { params, body: {} })),
    onSuccess,
  });
  const isOwn = session.data?.user_id === proposer_id;
  const isBusy = confirm.isPending || decline.isPending;
  return (
    <li className="grid gap-2">
      <p className="text-sm">
        {about} – proposed by {isOwn ? 'you' : proposed_by}
        {reason && `: ${reason}`}
        {ticket && ` (${ticket})`}, until <Time at={expires_at} />
      </p>
      <div className="flex gap-2">
        {!isOwn && (
          <Button
            kind="main"
            sends="POST /proposals/{id}/confirm"
            disabled={isBusy}
            aria-label={`Confirm: ${about}`}
            onClick={() => confirm.mutate()}
          >
            Confirm
          </Button>
        )}
        <Button
          sends="POST /proposals/{id}/decline"
          disabled={isBusy}
          aria-label={`Decline: ${about}`}
          onClick={() => decline.mutate()}
        >
          {isOwn ? 'Withdraw' : 'Decline'}
        </Button>
      </div>
      <Problem error={confirm.error ?? decline.error} />
    </li>
  );
}
