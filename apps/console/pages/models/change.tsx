import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Problem } from '../../components/states.js';

/** What is to become of a version. */
export type ChangeOf =
  { readonly kind: 'promote' | 'traffic'; readonly version: number } | { readonly kind: 'roll back' };

interface Props {
  readonly name: string;
  readonly change: ChangeOf | null;
  readonly onClose: () => void;
}

/** Asks for the reason, which is recorded with who gave it, and does it. */
export function Change({ name, change, onClose }: Props): ReactElement {
  const queries = useQueryClient();
  const apply = useMutation({
    mutationFn: ({ to, form }: { to: ChangeOf; form: FormData }) => request(name, to, form),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['models'] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (change) apply.mutate({ to: change, form: new FormData(event.currentTarget) });
  };
  return (
    <Dialog title={change ? titleOf(name, change) : ''} open={change !== null} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-3">
        {change?.kind === 'traffic' && (
          <Input label="Percent of callers" name="percent" type="number" min={0} max={100} defaultValue={10} required />
        )}
        <Input
          label="Reason"
          name="reason"
          required
          maxLength={500}
          hint="It is recorded on the event log, with who gave it."
        />
        <Problem error={apply.error} />
        <div className="flex gap-2">
          <Button kind="main" type="submit" disabled={apply.isPending}>
            {change?.kind === 'roll back' ? 'Roll back' : change?.kind === 'traffic' ? 'Share' : 'Promote'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

const titleOf = (name: string, change: ChangeOf): string =>
  change.kind === 'roll back'
    ? `Put the version before in use again for ${name}?`
    : change.kind === 'traffic'
      ? `Let version ${change.version} answer a share of ${name}'s callers?`
      : `Let version ${change.version} answer ${name}?`;

function request(name: string, change: ChangeOf, form: FormData): Promise<unknown> {
  const reason = textOf(form, 'reason');
  switch (change.kind) {
    case 'promote':
      return body(
        api.PUT('/models/{name}/versions/{n}/promote', {
          params: { path: { name, n: change.version } },
          body: { reason },
        }),
      );
    case 'traffic':
      return body(
        api.PUT('/models/{name}/traffic', {
          params: { path: { name } },
          body: { version: change.version, percent: Number(textOf(form, 'percent')), reason },
        }),
      );
    case 'roll back':
      return body(api.POST('/models/{name}/rollback', { params: { path: { name } }, body: { reason } }));
  }
}
