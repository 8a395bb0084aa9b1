import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Copy } from '../../components/copy.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Problem } from '../../components/states.js';

type Role = Schema['MemberBody']['role'];

/** What each role may do, the usual one first. */
export const ROLES: Readonly<Record<Role, string>> = {
  developer: 'everything but who is here',
  analyst: 'history and figures',
  auditor: 'reads everything and the log, changes nothing',
  runner: 'calls models',
  owner: 'everything',
};

interface Props {
  readonly onGiven: () => Promise<void>;
  readonly onClose: () => void;
}

/** Gives a role to an address. A new person gets a link that signs in once. */
export function Invite({ onGiven, onClose }: Props): ReactElement {
  const kept = useKeptForm('invitation');
  const give = useMutation({
    mutationFn: (form: FormData) =>
      body(
        api.PUT('/workspace/members', { body: { email: textOf(form, 'email'), role: textOf(form, 'role') as Role } }),
      ),
    onSuccess: onGiven,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    give.mutate(new FormData(form), {
      onSuccess: () => {
        form.reset();
        kept.forget();
      },
    });
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <p className="text-muted">
        A member gets this role instead of their own; anybody else gets a link that signs in.
      </p>
      <Input label="E-mail" name="email" type="email" required maxLength={254} />
      <Select label="Role" name="role" defaultValue="developer">
        {Object.entries(ROLES).map(([role, meaning]) => (
          <option key={role} value={role}>
            {role}: {meaning}
          </option>
        ))}
      </Select>
      <Problem error={give.error} />
      {give.data && (
        <div role="status" className="grid gap-2">
          <p>
            {give.data.email ?? give.data.user_id} is {give.data.role} here.
            {give.data.sign_in_link && ' Send them this link: it signs in once, within a day, and is not shown again.'}
          </p>
          {give.data.sign_in_link && <Copy text={give.data.sign_in_link} label="The sign-in link" />}
        </div>
      )}
      <div className="flex gap-2">
        <Button kind="main" type="submit" disabled={give.isPending}>
          Give the role
        </Button>
        <Button onClick={onClose}>{give.data ? 'Done' : 'Cancel'}</Button>
      </div>
    </form>
  );
}
