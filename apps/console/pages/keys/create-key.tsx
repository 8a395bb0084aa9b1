import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Problem } from '../../components/states.js';
import { LimitFields, limitsOf } from './limit-fields.js';

const SCOPES = [
  ['inference', 'call models'],
  ['read', 'look at everything'],
  ['write', 'change everything else'],
] as const;

/** @param onMade gets the key, which the API shows this once */
export function CreateKey({ onMade }: { readonly onMade: (secret: string) => Promise<void> }): ReactElement {
  const kept = useKeptForm('new key');
  const create = useMutation({
    mutationFn: (form: FormData) => {
      const expires = textOf(form, 'expires');
      const scopes = SCOPES.map(([scope]) => scope).filter((scope) => form.getAll('scope').includes(scope));
      return body(
        api.POST('/create-api-key', {
          body: {
            name: textOf(form, 'name'),
            // The whole day, in the user's time zone.
            ...(expires && { expires_at: new Date(`${expires}T23:59:59`).toISOString() }),
            ...(scopes.length < SCOPES.length && { scopes }),
            ...limitsOf(form),
          },
        }),
      );
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    create.mutate(new FormData(form), {
      onSuccess: ({ secret_key }) => {
        form.reset();
        kept.forget();
        void onMade(secret_key);
      },
    });
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Input label="Name" name="name" required maxLength={100} placeholder="what it is for" />
        <Input label="Expires (optional)" name="expires" type="date" />
      </div>
      <fieldset className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <legend className="mb-1 font-medium">May</legend>
        {SCOPES.map(([scope, meaning]) => (
          <label key={scope} className="flex items-center gap-1.5 py-1.5">
            <input type="checkbox" name="scope" value={scope} defaultChecked />
            {meaning}
          </label>
        ))}
      </fieldset>
      <details>
        <summary className="cursor-pointer text-sm text-muted">Limits of its calls of models (optional)</summary>
        <div className="mt-3">
          <LimitFields />
        </div>
      </details>
      <Problem error={create.error} />
      <div>
        <Button kind="main" type="submit" disabled={create.isPending}>
          Create key
        </Button>
      </div>
    </form>
  );
}
