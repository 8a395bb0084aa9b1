import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api } from '../../api/client.js';
import { SESSION } from '../../api/session.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';
import { toast } from '../../components/toast.js';

/** How one signs in. */
export function Password({ hasPassword }: { readonly hasPassword: boolean }): ReactElement {
  const [setting, setSetting] = useState(false);
  const title = hasPassword ? 'Change your password' : 'Set a password';
  return (
    <Panel title="You sign in" actions={<Button onClick={() => setSetting(true)}>{title}</Button>}>
      <p className="text-muted">
        {hasPassword ? 'With your e-mail address and your password.' : 'By a link: you have no password yet.'}
      </p>
      <Dialog title={title} open={setting} onClose={() => setSetting(false)}>
        <PasswordForm hasPassword={hasPassword} onSet={() => setSetting(false)} />
      </Dialog>
    </Panel>
  );
}

interface Props {
  readonly hasPassword: boolean;
  readonly onSet: () => void;
}

/** Sets one's own password, which ends one's other sessions. */
function PasswordForm({ hasPassword, onSet }: Props): ReactElement {
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (form: FormData) =>
      api.POST('/auth/password', {
        body: {
          new_password: textOf(form, 'new'),
          ...(hasPassword && { current_password: textOf(form, 'current') }),
        },
      }),
    onSuccess: () => {
      onSet();
      toast('Your password is set. Your other sessions have ended.');
      return queries.invalidateQueries({ queryKey: SESSION });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    set.mutate(new FormData(event.currentTarget));
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      {hasPassword && (
        <Input
          label="Present password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          maxLength={200}
        />
      )}
      <Input
        label="New password"
        name="new"
        type="password"
        autoComplete="new-password"
        required
        minLength={10}
        maxLength={200}
        hint="At least 10 characters. Your other sessions end."
      />
      <Problem error={set.error} />
      <div>
        <Button kind="main" type="submit" disabled={set.isPending}>
          Set password
        </Button>
      </div>
    </form>
  );
}
