import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input, Select, TextArea } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { toast } from '../../components/toast.js';
import { Time } from '../../components/values.js';

type Incident = Schema['IncidentRecord'];
type Severity = Incident['severity'];

const KEY = ['incidents'];
const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'serious'];

export const incidentsQuery = queryOptions({ queryKey: KEY, queryFn: () => body(api.GET('/incidents')) });

/** Incidents of the workspace: opened, updated and closed here. */
export function Incidents(): ReactElement {
  const incidents = useQuery(incidentsQuery);
  const [changing, setChanging] = useState<Incident | null>(null);
  const [opening, setOpening] = useState(false);
  return (
    <Panel
      title="Incidents"
      actions={
        <Button kind="main" sends="POST /incidents" onClick={() => setOpening(true)}>
          Open an incident…
        </Button>
      }
    >
      <Loaded query={incidents}>
        {({ incidents: list }) =>
          list.length === 0 ? (
            <Empty>No incident is recorded. Open one when a model answered wrongly in a way that mattered.</Empty>
          ) : (
            <Table
              caption="Incidents, newest first"
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                { head: 'Incident', cell: ({ title }) => <b>{title}</b> },
                { head: 'Severity', cell: ({ severity }) => severity },
                { head: 'Status', cell: ({ status }) => <Status status={status} /> },
                { head: 'Model', cell: ({ model, version }) => `${model ?? ''}${version ? `@${version}` : ''}` },
                { head: 'Opened', cell: ({ opened_at }) => <Time at={opened_at} /> },
                {
                  head: <span className="sr-only">Change</span>,
                  cell: (incident) =>
                    incident.status === 'open' && (
                      <Button
                        sends="PATCH /incidents/{id}"
                        aria-label={`Change the incident: ${incident.title}`}
                        onClick={() => setChanging(incident)}
                      >
                        Change
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Dialog title="Open an incident" open={opening} onClose={() => setOpening(false)}>
        <Open onClose={() => setOpening(false)} />
      </Dialog>
      <Change key={changing?.id} incident={changing} onClose={() => setChanging(null)} />
    </Panel>
  );
}

const Severities = ({ value }: { readonly value: Severity }): ReactElement => (
  <Select label="Severity" name="severity" defaultValue={value}>
    {SEVERITIES.map((each) => (
      <option key={each}>{each}</option>
    ))}
  </Select>
);

function Open({ onClose }: { readonly onClose: () => void }): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm('incident');
  const open = useMutation({
    mutationFn: (incident: Schema['OpenIncidentBody']) => body(api.POST('/incidents', { body: incident })),
    onSuccess: async () => {
      kept.forget();
      onClose();
      toast('Opened the incident.');
      await queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const model = textOf(form, 'model');
    const version = textOf(form, 'version');
    const incident = {
      ...{ title: textOf(form, 'title'), description: textOf(form, 'description') },
      severity: textOf(form, 'severity') as Severity,
      ...(model !== '' && { model }),
      ...(version !== '' && { version: Number(version) }),
      calls: textOf(form, 'calls')
        .split(/[\s,]+/)
        .filter(Boolean),
    };
    open.mutate(incident);
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <Input label="What happened, in a few words" name="title" required maxLength={200} />
      <TextArea
        label="Description"
        name="description"
        required
        rows={3}
        maxLength={5000}
        hint="It is stored on the log."
      />
      <div className="grid items-start gap-3 sm:grid-cols-3">
        <Severities value="low" />
        <Input label="Affected model" name="model" maxLength={200} />
        <Input label="Version" name="version" type="number" min={1} />
      </div>
      <Input label="Ids of affected calls" name="calls" />
      <Problem error={open.error} />
      <div className="flex flex-wrap gap-2">
        <Button kind="main" type="submit" disabled={open.isPending}>
          Open the incident
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

function Change({
  incident,
  onClose,
}: {
  readonly incident: Incident | null;
  readonly onClose: () => void;
}): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm(`incident ${incident?.id}`);
  const change = useMutation({
    mutationFn: async ({ id, form, closes }: { id: string; form: FormData; closes: boolean }) => {
      const params = { path: { id } };
      const note = textOf(form, 'note');
      if (closes) return body(api.POST('/incidents/{id}/close', { params, body: { resolution: note } }));
      const severity = textOf(form, 'severity') as Severity;
      return body(api.PATCH('/incidents/{id}', { params, body: { severity, note } }));
    },
    onSuccess: async (_, { closes }) => {
      kept.forget();
      onClose();
      toast(closes ? 'Closed the incident.' : 'Added to the incident.');
      await queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const closes = submitter?.getAttribute('value') === 'close';
    if (incident) change.mutate({ id: incident.id, form: new FormData(event.currentTarget), closes });
  };
  return (
    <Dialog title={incident?.title ?? 'Incident'} open={incident !== null} onClose={onClose}>
      <p className="break-words">{incident?.description}</p>
      {incident?.notes.map(({ note, at }) => (
        <p key={at} className="text-sm break-words">
          <Time at={at} />: {note}
        </p>
      ))}
      <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
        <Severities value={incident?.severity ?? 'low'} />
        <Input label="What was found or done, or how it ended" name="note" required maxLength={5000} />
        <Problem error={change.error} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" value="note">
            Add this
          </Button>
          <Button kind="main" type="submit" value="close">
            Close the incident with this
          </Button>
          <Button onClick={onClose}>Back</Button>
        </div>
      </form>
    </Dialog>
  );
}
