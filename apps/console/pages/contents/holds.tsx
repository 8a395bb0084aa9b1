import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { toast } from '../../components/toast.js';
import { useStored } from '../../components/use-stored.js';
import { Time } from '../../components/values.js';

type Hold = Schema['HoldRecord'];
type Body = Schema['HoldBody'];

const KEY = ['holds'];
const COVERS: Readonly<Record<Hold['kind'], string>> = {
  workspace: 'everything',
  calls: 'all calls',
  call: 'a call',
  model: 'calls of a model',
  feedback: 'all corrections and notes',
  job_logs: 'logs of all training jobs',
  job: 'the log of a training job',
  datasets: 'all datasets',
  dataset: 'a dataset',
  evaluations: 'predictions of all evaluations',
  evaluation: 'the predictions of an evaluation',
};
const NAMED: ReadonlySet<Hold['kind']> = new Set(['call', 'model', 'job', 'dataset', 'evaluation']);

export const holdsQuery = queryOptions({ queryKey: KEY, queryFn: () => body(api.GET('/account/holds')) });

/** Legal holds: contents that neither retention nor a person's request erases. */
export function Holds(): ReactElement {
  const holds = useQuery(holdsQuery);
  const [releasing, setReleasing] = useState<Hold | null>(null);
  const [placing, setPlacing] = useState(false);
  return (
    <Panel
      title="Legal holds"
      actions={
        <Button kind="main" sends="POST /account/holds" onClick={() => setPlacing(true)}>
          Place a hold…
        </Button>
      }
    >
      <Loaded query={holds}>
        {({ holds: list }) =>
          list.length === 0 ? (
            <Empty>
              No hold is open. Place one where the law has you keep something: nothing that it covers is erased.
            </Empty>
          ) : (
            <Table
              caption="Open holds"
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                {
                  head: 'Covers',
                  cell: (hold) => <b className="inline-block first-letter:uppercase">{coversOf(hold)}</b>,
                },
                { head: 'Reason', cell: ({ reason }) => reason },
                { head: 'Placed', cell: ({ placed_at }) => <Time at={placed_at} /> },
                {
                  head: <span className="sr-only">Change</span>,
                  cell: (hold) => (
                    <Button
                      sends="DELETE /account/holds/{id}"
                      aria-label={`Release the hold: ${hold.reason}`}
                      onClick={() => setReleasing(hold)}
                    >
                      Release
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Dialog title="Place a hold" open={placing} onClose={() => setPlacing(false)}>
        <Place onClose={() => setPlacing(false)} />
      </Dialog>
      <Release hold={releasing} onClose={() => setReleasing(null)} />
    </Panel>
  );
}

/** `dataset tickets version 2` */
const coversOf = ({ kind, covers_id, version }: Hold): string =>
  [COVERS[kind].replaceAll(/\b(a|the) /g, ''), covers_id, version !== null && `version ${version}`]
    .filter(Boolean)
    .join(' ');

function Place({ onClose }: { readonly onClose: () => void }): ReactElement {
  const queries = useQueryClient();
  const [kind, setKind] = useStored<Hold['kind']>('kind of hold', 'dataset');
  const kept = useKeptForm('hold');
  const place = useMutation({
    mutationFn: (hold: Body) => body(api.POST('/account/holds', { body: hold })),
    onSuccess: async () => {
      kept.forget();
      setKind('dataset');
      onClose();
      toast('Placed the hold.');
      await queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const hold = { kind, reason: textOf(form, 'reason'), ...(NAMED.has(kind) && { id: textOf(form, 'id') }) };
    place.mutate(hold);
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <p className="text-muted">
        Nothing that it covers is erased, by retention or by anybody, until the hold is released.
      </p>
      <Select label="Keep" value={kind} onChange={({ target }) => setKind(target.value as Hold['kind'])}>
        {Object.entries(COVERS).map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </Select>
      {NAMED.has(kind) && (
        <Input label={kind === 'dataset' ? 'Name' : kind === 'model' ? 'Id or name' : 'Id'} name="id" required />
      )}
      <Input label="Reason" name="reason" required maxLength={500} hint="It is recorded with who placed it." />
      <Problem error={place.error} />
      <div className="flex gap-2">
        <Button kind="main" type="submit" disabled={place.isPending}>
          Place the hold
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

function Release({ hold, onClose }: { readonly hold: Hold | null; readonly onClose: () => void }): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm(`release ${hold?.id}`);
  const release = useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) =>
      body(api.DELETE('/account/holds/{id}', { params: { path: { id }, query: { reason } } })),
    onSuccess: async () => {
      kept.forget();
      onClose();
      toast('Released the hold.');
      await queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (hold) release.mutate({ id: hold.id, reason: textOf(new FormData(event.currentTarget), 'reason') });
  };
  return (
    <Dialog title="Release this hold?" open={hold !== null} onClose={onClose}>
      <p>What it covers may be erased again: {hold && coversOf(hold)}.</p>
      <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
        <Input label="Reason" name="reason" required maxLength={500} hint="It is recorded with who released it." />
        <Problem error={release.error} />
        <div className="flex gap-2">
          <Button kind="bad" type="submit" disabled={release.isPending}>
            Release the hold
          </Button>
          <Button onClick={onClose}>Keep it</Button>
        </div>
      </form>
    </Dialog>
  );
}
