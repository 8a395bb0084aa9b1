import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/client.js';
import { SESSION } from '../api/session.js';
import { Button } from './button.js';
import { claimTab } from './use-stored.js';

/** The signed-in user's address and the button that signs out. */
export function Account({ email }: { readonly email: string }): ReactElement {
  const queries = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => api.POST('/auth/sign-out'),
    onSuccess: () => {
      // A user's data is never shown to the next user.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
      claimTab(null);
      queries.setQueryData(SESSION, null);
    },
  });
  return (
    <div className="grid gap-2 border-t border-line pt-3 text-sm">
      <span className="truncate text-muted" title={email}>
        {email}
      </span>
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => signOut.mutate()} disabled={signOut.isPending}>
          Sign out
        </Button>
        <a href="/docs">API</a>
      </div>
    </div>
  );
}
