import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { useProposes, useWorkspace } from '../../api/workspace.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Check, Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Certificates } from './certificates.js';
import { KINDS, type KindName, type Wanted } from './erasures.js';

/** Erases contents for good: whose or which, why, after saying what is lost; and shows the certificate. */
export function Erase({ kinds }: { readonly kinds: readonly KindName[] }): ReactElement {
  const [filters, change] = useFilters();
  const kind = kinds.find((each) => each === filters['erase']) ?? kinds[0]!;
  const { of, hint, erase, loss } = { hint: undefined, ...KINDS[kind] };
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [cascade, setCascade] = useState(false);
  const kept = useKeptForm('erasure');
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: erase,
    onSuccess: async () => {
      kept.forget();
      setWanted(null);
      await queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [reason, ticket] = [textOf(form, 'reason').trim(), textOf(form, 'ticket').trim()];
    run.reset();
    setWanted({
      id: textOf(form, 'id').trim(),
      version: textOf(form, 'version').trim(),
      cascade,
      why: { reason, ...(ticket && { ticket }) },
    });
  };
  const hasCopies = kind === 'subject' || kind === 'call';
  return (
    <>
      {run.data && <Certificates of={run.data} />}
      <div className="columns">
        <Panel title="Erase contents">
          <form ref={kept.ref} key={kind} onSubmit={submit} className="grid gap-4">
            <div className="grid items-start gap-4 sm:grid-cols-2">
              <Select label="Erase" value={kind} onChange={({ target }) => change({ erase: target.value, id: '' })}>
                {kinds.map((each) => (
                  <option key={each} value={each}>
                    {KINDS[each].title}
                  </option>
                ))}
              </Select>
              {kind === 'member' ? (
                <Members />
              ) : (
                <Input
                  label={of}
                  name="id"
                  required
                  maxLength={512}
                  defaultValue={filters['id']}
                  {...(hint && { hint })}
                />
              )}
              {kind === 'dataset' && <Input label="Version" name="version" type="number" required min={1} />}
              <Input
                label="Reason to erase"
                name="reason"
                required
                maxLength={500}
                hint="The log keeps it for good: name no person in it."
              />
              <Input label="Ticket (optional)" name="ticket" maxLength={100} hint="The number of your case." />
            </div>
            {hasCopies && (
              <Check
                label="Also erase dataset versions that have texts of these calls, whole"
                checked={cascade}
                onChange={setCascade}
              />
            )}
            <div>
              <Button kind="bad" type="submit" disabled={run.isPending}>
                Erase…
              </Button>
            </div>
          </form>
        </Panel>
        <Panel title="What is lost">
          <p>{loss}</p>
          <p className="mt-3 text-muted">
            A legal hold prevents it. Afterwards a certificate names the destroyed keys and the event that proves it.
          </p>
        </Panel>
      </div>
      <Confirm
        kind={kind}
        wanted={wanted}
        error={run.error}
        busy={run.isPending}
        onErase={run.mutate}
        onClose={() => setWanted(null)}
      />
    </>
  );
}

function Members(): ReactElement {
  const members = useWorkspace().data?.members ?? [];
  return (
    <Select label="Member" name="id" required>
      {members
        .filter(({ is_own }) => !is_own)
        .map(({ user_id, email }) => (
          <option key={user_id} value={user_id}>
            {email ?? user_id}
          </option>
        ))}
    </Select>
  );
}

interface ConfirmProps {
  readonly kind: KindName;
  readonly wanted: Wanted | null;
  readonly error: Error | null;
  readonly busy: boolean;
  readonly onErase: (wanted: Wanted) => void;
  readonly onClose: () => void;
}

function Confirm({ kind, wanted, error, busy, onErase, onClose }: ConfirmProps): ReactElement {
  const proposes = useProposes('erase');
  const { title, loss } = KINDS[kind];
  const what = kind === 'dataset' ? `${wanted?.id}/${wanted?.version}` : title;
  const verb = proposes ? 'Propose to erase' : 'Erase';
  return (
    <Dialog title={`Erase ${what}?`} open={wanted !== null} onClose={onClose}>
      {wanted && kind !== 'dataset' && (
        <p className="break-all">
          {KINDS[kind].of}: <b>{wanted.id}</b>
        </p>
      )}
      <p>{loss}</p>
      {wanted?.cascade && <p>Dataset versions with copies are erased whole, with the rows of other calls.</p>}
      {proposes && <p>Nothing is erased until another person confirms it.</p>}
      <Problem error={error} />
      <div className="flex flex-wrap gap-2">
        <Button kind="bad" disabled={busy} onClick={() => wanted && onErase(wanted)}>
          {busy ? 'Erasing…' : `${verb} ${what}`}
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  );
}
