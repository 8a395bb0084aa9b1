import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Problem } from '../../components/states.js';

interface Props {
  readonly id: string;
  /** The reviewer who holds the call on the screen; empty for the signed-in user. */
  readonly reviewer: string;
  readonly onAssigned: () => void;
}

/** Leaves a call to one reviewer. */
export function Assign({ id, reviewer, onAssigned }: Props): ReactElement {
  const [open, setOpen] = useState(false);
  const kept = useKeptForm(`assign ${id}`);
  const assign = useMutation({
    mutationFn: async (to: string) => {
      await body(api.POST('/review/{id}/assign', { params: { path: { id } }, body: { reviewer: to } }));
      // A call that stays reserved for the assigner is not shown to the assignee.
      const own = reviewer && { reviewer };
      await body(api.POST('/review/{id}/release', { params: { path: { id } }, body: { ...own } }));
    },
    onSuccess: () => {
      kept.forget();
      setOpen(false);
      onAssigned();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    assign.mutate(textOf(new FormData(event.currentTarget), 'reviewer'));
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Assign</Button>
      <Dialog title="Leave this call to one reviewer" open={open} onClose={() => setOpen(false)}>
        <form ref={kept.ref} className="grid gap-3" onSubmit={submit}>
          <Input
            label="Reviewer"
            name="reviewer"
            required
            maxLength={200}
            autoFocus
            hint="The name under which they review; they find the call under “Assigned to the reviewer alone”."
          />
          <Problem error={assign.error} />
          <div>
            <Button kind="main" type="submit" disabled={assign.isPending}>
              Assign
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
