import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, type LinkProps } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import { useProposes } from '../api/workspace.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Input } from './field.js';
import { textOf } from './form.js';
import { Problem } from './states.js';
import { toast } from './toast.js';

interface Props {
  /** What is deleted, as in "Delete tickets/2?". */
  readonly what: string;
  /** What is lost with it, what stays, and whether it can be restored. */
  readonly children: ReactNode;
  /** Whether two people can be wanted for it. */
  readonly proposable?: boolean;
  /** @param query what goes with the request: the reason that is recorded on the log */
  readonly onDelete: (query: { readonly reason?: string }) => Promise<unknown>;
  /** First part of the keys of the queries that change with it. */
  readonly of: string;
  /** The list that it was in, which is shown once it is gone. */
  readonly to: NonNullable<LinkProps['to']>;
}

/** A button that deletes one thing, after it has said what is lost. */
export function Delete({ what, children, onDelete, of, to, proposable = true }: Props): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const proposes = useProposes(...(proposable ? (['delete'] as const) : []));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: onDelete,
    onSuccess: async () => {
      setOpen(false);
      toast(`Deleted ${what}.`);
      // Its own page would ask for what is gone.
      await navigate({ to });
      await queries.invalidateQueries({ queryKey: [of] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const reason = textOf(new FormData(event.currentTarget), 'reason').trim();
    remove.mutate(reason ? { reason } : {});
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
