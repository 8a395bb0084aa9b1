import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api } from '../../api/client.js';
import { SESSION } from '../../api/session.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';

/** Sets one's own password, which ends one's other sessions. */
export function Password({ hasPassword }: { readonly hasPassword: boolean }): ReactElement {
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (form: FormData) =>
      api.POST('/auth/password', {
        body: {
          new_password: textOf(form, 'new'),
          ...(hasPassword && { current_password: textOf(form, 'current') }),
        },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: SESSION }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    set.mutate(new FormData(form), { onSuccess: () => form.reset() });
  };
  return (
    <Panel title="Your password">
      <form onSubmit={submit} className="grid gap-3">
        <div className="flex flex-wrap items-end gap-3">
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
          />
        </div>
        <Problem error={set.error} />
        {set.isSuccess && <p role="status">Your password is set. Your other sessions have ended.</p>}
        <div>
          <Button type="submit" disabled={set.isPending}>
            Set password
          </Button>
        </div>
      </form>
    </Panel>
  );
}
