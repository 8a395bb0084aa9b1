import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Copy } from '../../components/copy.js';
import { Dialog } from '../../components/dialog.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Problem } from '../../components/states.js';
import { Time } from '../../components/values.js';

/** Gives a webhook a new signing secret, and shows it once. */
export function Rotate({ of: { id } }: { readonly of: Schema['WebhookRecord'] }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: (overlap_hours: number) =>
      body(api.POST('/webhooks/{id}/rotate', { params: { path: { id } }, body: { overlap_hours } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks', id] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    rotate.mutate(Number(textOf(new FormData(event.currentTarget), 'hours')));
  };
  const close = (): void => {
    setOpen(false);
    rotate.reset();
  };
  return (
    <>
      <Button sends="POST /webhooks/{id}/rotate" onClick={() => setOpen(true)}>
        Rotate the secret
      </Button>
      <Dialog title="Rotate the secret?" open={isOpen} onClose={close}>
        {rotate.data ? (
          <>
            <p>
              Copy it now: it is not shown again. The secret before signs too until{' '}
              <Time at={rotate.data.previous_secret_until} />.
            </p>
            <Copy text={rotate.data.secret} label="The new signing secret" />
            <div>
              <Button onClick={close}>Done</Button>
            </div>
          </>
        ) : (
          <form className="grid gap-3" onSubmit={submit}>
            <p>Messages are signed with a new secret from now on. For some hours the one before signs them as well.</p>
            <Input
              label="Hours with both secrets"
              name="hours"
              type="number"
              required
              min={0}
              max={168}
              defaultValue={24}
              hint="0 ends the one before at once: use it when that one has leaked."
            />
            <Problem error={rotate.error} />
            <div className="flex flex-wrap gap-2">
              <Button kind="main" type="submit" disabled={rotate.isPending}>
                Rotate the secret
              </Button>
              <Button onClick={close}>Keep it</Button>
            </div>
          </form>
        )}
      </Dialog>
    </>
  );
}
