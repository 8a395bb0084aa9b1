import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body as answer } from '../../api/client.js';
import { SESSION } from '../../api/session.js';
import { Button, buttonClass } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Logo } from '../../components/logo.js';
import { Problem } from '../../components/states.js';
import { Lattice } from './lattice.js';

/** Shown at any requested address, which opens after signing in. */
export function SignIn(): ReactElement {
  const queries = useQueryClient();
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => api.POST('/auth/sign-in', { body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: SESSION }),
  });
  const methods = useQuery({ queryKey: ['methods'], queryFn: () => answer(api.GET('/auth/methods')) });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn.mutate({ email: textOf(form, 'email'), password: textOf(form, 'password') });
  };
  return (
    <div className="sign-in">
      <main>
        <p className="brand p-0">
          <Logo /> Anneal
        </p>
        <h1 className="text-xl">Sign in to Anneal</h1>
        <form onSubmit={submit} className="grid gap-4">
          <Input label="E-mail" name="email" type="email" autoComplete="username" required />
          <Input label="Password" name="password" type="password" autoComplete="current-password" required />
          <Problem error={signIn.error} />
          <Button kind="main" type="submit" disabled={signIn.isPending}>
            Sign in
          </Button>
        </form>
        {methods.data?.oidc && (
          <a className={buttonClass()} href={`/auth/oidc/start?to=${encodeURIComponent(location.pathname)}`}>
            Sign in with your organisation
          </a>
        )}
        <p className="text-sm text-muted">
          No password yet? Open the link that was printed when Anneal started. <code>npx anneal sign-in-link</code>{' '}
          prints another; each works once.
        </p>
      </main>
      <div className="picture">
        <Lattice />
      </div>
    </div>
  );
}
