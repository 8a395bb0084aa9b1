import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import { useProposes } from '../api/workspace.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Input } from './field.js';
import { textOf } from './form.js';
import { Problem } from './states.js';

interface Props {
  /** What is deleted, as in "Delete tickets/2?". */
  readonly what: string;
  /** What is lost with it, what stays, and whether it can be restored. */
  readonly children: ReactNode;
  /** @param reason recorded on the log; undefined: none was given */
  readonly onDelete: (reason: string | undefined) => Promise<unknown>;
}

/** A button that deletes one thing, after it has said what is lost. */
export function Delete({ what, children, onDelete }: Props): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const proposes = useProposes('delete');
  const remove = useMutation({ mutationFn: onDelete, onSuccess: () => setOpen(false) });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    remove.mutate(textOf(new FormData(event.currentTarget), 'reason').trim() || undefined);
  };
  const verb = proposes ? 'Propose to delete' : 'Delete';
  return (
    <>
      <Button kind="bad" onClick={() => setOpen(true)}>
        {verb}
      </Button>
      <Dialog title={`Delete ${what}?`} open={isOpen} onClose={() => setOpen(false)}>
        <form className="grid gap-3" onSubmit={submit}>
          {children}
          <Input
            label="Reason (optional)"
            name="reason"
            maxLength={500}
            hint="It is recorded on the event log for good: name no person in it."
          />
          <Problem error={remove.error} />
          <div className="flex flex-wrap gap-2">
            <Button kind="bad" type="submit" disabled={remove.isPending}>
              {verb} {what}
            </Button>
            <Button onClick={() => setOpen(false)}>Keep it</Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
