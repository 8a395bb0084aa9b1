import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { useState, type ReactElement } from 'react';
import { api } from '../api/client.js';
import { SESSION, useSession } from '../api/session.js';
import { Button } from './button.js';
import { changeLook, lookOf, LOOKS, type Look } from './look.js';
import { claimTab } from './use-stored.js';
import { zone } from './values.js';

const MENU = 'account-menu';

/** Foot of the menu: the workspace and the person, with what is set per person, and the button that signs out. */
export function Account({ email }: { readonly email: string }): ReactElement {
  const session = useSession().data;
  const workspace = session?.workspaces.find(({ id }) => id === session.workspace_id);
  const owner = workspace?.owner_email ?? email;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="foot">
      <button type="button" className="who" popoverTarget={MENU} title={email}>
        <span className="avatar" aria-hidden>
          {email.slice(0, 1)}
        </span>
        <span className="grid min-w-0 flex-1">
          <span className="truncate font-[550]">{owner === email ? 'Own workspace' : owner}</span>
          <span className="truncate text-xs text-muted">{email}</span>
        </span>
        <ChevronsUpDown className="i" />
      </button>
      <div id={MENU} popover="auto" className="pop at-foot" onToggle={({ newState }) => setOpen(newState === 'open')}>
        <div className="part">
          <span className="break-all">
            {email}
            {workspace && <span className="text-muted"> · {workspace.role}</span>}
          </span>
          {isOpen && (
            <span className="text-sm text-muted" title={`Times are shown in ${zone()}, where they do not say UTC`}>
              Times in {zone()}
            </span>
          )}
          {session && session.workspaces.length > 1 && <Link to="/people">Change the workspace</Link>}
        </div>
        <div className="part">
          <Choice look="theme" label="Theme" />
          <Choice look="density" label="Density" />
        </div>
        <div className="part">
          <div className="flex items-center justify-between gap-2">
            <a href="/docs">API</a>
            <SignOut />
          </div>
        </div>
      </div>
    </div>
  );
}

function Choice({ look, label }: { readonly look: Look; readonly label: string }): ReactElement {
  const [chosen, setChosen] = useState(lookOf(look));
  const choose = (choice: string): void => {
    changeLook(look, choice);
    setChosen(choice);
  };
  return (
    <div className="grid gap-1">
      <span className="text-sm text-muted">{label}</span>
      <div className="seg justify-self-start" role="group" aria-label={label}>
        {LOOKS[look].map((choice) => (
          <button key={choice} type="button" aria-pressed={choice === chosen} onClick={() => choose(choice)}>
            {choice}
          </button>
        ))}
      </div>
    </div>
  );
}

function SignOut(): ReactElement {
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
    <Button onClick={() => signOut.mutate()} disabled={signOut.isPending}>
      Sign out
    </Button>
  );
}
