import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, type Schema } from '../../api/client.js';
import { useSession } from '../../api/session.js';
import { useWorkspace, WORKSPACE } from '../../api/workspace.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Proposals } from '../../components/proposals.js';
import { Loaded, Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { toast } from '../../components/toast.js';
import { Invite, ROLES } from './invite.js';
import { Password } from './password.js';
import { Workspaces } from './workspaces.js';

type Member = Schema['WorkspaceMember'];

export function PeoplePage(): ReactElement {
  const session = useSession();
  const queries = useQueryClient();
  const [inviting, setInviting] = useState(false);
  return (
    <Page
      title="People"
      intro="Who works in this workspace, and what their roles let them do."
      actions={
        <Button kind="main" sends="PUT /workspace/members" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      <Loaded query={session}>
        {(who) =>
          who && (
            <>
              {who.workspaces.length > 1 && <Workspaces session={who} />}
              <Permitted sends="GET /workspace">
                <Proposals />
                <Members />
              </Permitted>
              <Password hasPassword={who.has_password} />
            </>
          )
        }
      </Loaded>
      <Dialog title="Invite, or change a role" open={inviting} onClose={() => setInviting(false)}>
        <Invite onGiven={() => queries.invalidateQueries({ queryKey: WORKSPACE })} onClose={() => setInviting(false)} />
      </Dialog>
    </Page>
  );
}

function Members(): ReactElement {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  const [removing, setRemoving] = useState<Member | null>(null);
  const remove = useMutation({
    mutationFn: ({ user_id }: Member) => api.DELETE('/workspace/members/{user_id}', { params: { path: { user_id } } }),
    onSuccess: async (_, { email }) => {
      setRemoving(null);
      toast(`Removed ${email ?? 'the member'}.`);
      await queries.invalidateQueries({ queryKey: WORKSPACE });
    },
  });
  return (
    <>
      <Panel title="Members">
        <Loaded query={workspace}>
          {({ members }) => (
            <Table
              caption="Members of the workspace"
              rows={members}
              rowKey={({ user_id }) => user_id}
              columns={[
                { head: 'E-mail', cell: ({ email, user_id }) => email ?? user_id },
                { head: 'Role', cell: ({ role, is_own }) => (is_own ? `${role} (own workspace)` : role) },
                { head: 'May', cell: ({ role }) => ROLES[role] },
                {
                  head: <span className="sr-only">Remove</span>,
                  cell: (member) =>
                    !member.is_own && (
                      <Button
                        kind="bad"
                        sends="DELETE /workspace/members/{user_id}"
                        aria-label={`Remove ${member.email ?? member.user_id}`}
                        onClick={() => setRemoving(member)}
                      >
                        Remove
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Loaded>
      </Panel>
      <Dialog title={`Remove ${removing?.email ?? ''}?`} open={removing !== null} onClose={() => setRemoving(null)}>
        <p>Their keys and sessions in this workspace are refused at once. What they made stays.</p>
        <Problem error={remove.error} />
        <div className="flex gap-2">
          <Button kind="bad" disabled={remove.isPending} onClick={() => removing && remove.mutate(removing)}>
            Remove
          </Button>
          <Button onClick={() => setRemoving(null)}>Keep them</Button>
        </div>
      </Dialog>
    </>
  );
}
