import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { SESSION, type Session } from '../../api/session.js';
import { Select } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';

/** The workspaces of the signed-in user, and which of them all pages show. */
export function Workspaces({ session }: { readonly session: Session }): ReactElement {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (workspace_id: string) => body(api.POST('/auth/workspace', { body: { workspace_id } })),
    onSuccess: async (moved) => {
      // Another workspace's data is never shown in this one.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
      queries.setQueryData(SESSION, moved);
      await queries.invalidateQueries();
    },
  });
  return (
    <Panel title="Workspace">
      <Select
        label="All pages show"
        hint="In every tab of this browser."
        value={session.workspace_id}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate(target.value)}
      >
        {session.workspaces.map(({ id, owner_email, role }) => (
          <option key={id} value={id}>
            {owner_email ?? id} ({role})
          </option>
        ))}
      </Select>
      <Problem error={change.error} />
    </Panel>
  );
}
