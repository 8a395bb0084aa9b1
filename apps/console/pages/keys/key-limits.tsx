import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Problem } from '../../components/states.js';
import { dollars, number } from '../../components/values.js';
import { LimitFields, limitsOf } from './limit-fields.js';

type Key = Schema['ApiKeyRecord'];

/** The limits of a key in words, with what is used of its budget. */
export function limitsInWords(key: Key): string {
  const period = key.budget_period === null ? 'in all' : `a ${key.budget_period}`;
  return [
    ...(key.models === null ? [] : [key.models.join(', ')]),
    ...(key.requests_per_minute === null ? [] : [`${number(key.requests_per_minute)} requests a minute`]),
    ...(key.tokens_per_minute === null ? [] : [`${number(key.tokens_per_minute)} tokens a minute`]),
    ...(key.budget === null ? [] : [`${dollars(key.budget_used ?? 0)} of ${dollars(key.budget)} ${period}`]),
  ].join('; ');
}

/** The form that changes a key's limits. @param onDone after they are changed */
export function KeyLimits({ of, onDone }: { readonly of: Key; readonly onDone: () => Promise<void> }): ReactElement {
  const change = useMutation({
    mutationFn: (form: FormData) => body(api.PATCH('/limit-api-key', { body: { key_id: of.id, ...limitsOf(form) } })),
    onSuccess: onDone,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change.mutate(new FormData(event.currentTarget));
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <LimitFields of={of} />
      <Problem error={change.error} />
      <div>
        <Button kind="main" type="submit" disabled={change.isPending}>
          Set limits
        </Button>
      </div>
    </form>
  );
}
