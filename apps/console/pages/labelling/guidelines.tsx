import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextArea } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Row as DrawnRow } from '../../components/row.js';
import { Loaded, Problem } from '../../components/states.js';
import { examplesOf } from './examples.js';
import type { Row } from './row.js';

interface Props {
  readonly dataset: string;
  readonly version: string;
  readonly rows: readonly Row[];
  /** Index of the row on the screen, which is no example of itself. */
  readonly at: number;
  /** Whether labels of other people are not to be seen. */
  readonly isBlind: boolean;
}

/** How the rows are to be labelled, as the newest version that says it has it, with a row of each label as an example. */
export function Guidelines({ dataset, version, rows, at, isBlind }: Props): ReactElement {
  const [editing, setEditing] = useState(false);
  const versions = useQuery({
    queryKey: ['datasets', dataset],
    queryFn: () => body(api.GET('/felix/datasets/{name}', { params: { path: { name: dataset } } })),
  });
  const said = versions.data?.versions
    .toSorted((a, b) => Number(b.version_number) - Number(a.version_number))
    .find(({ description }) => description?.guidelines)?.description?.guidelines;
  const examples = isBlind ? [] : examplesOf(rows, at);
  return (
    <Panel
      title="Guidelines"
      actions={
        <Button sends="PATCH /felix/datasets/{name}/{version}" onClick={() => setEditing(true)}>
          {said ? 'Edit' : 'Write'}
        </Button>
      }
    >
      <Loaded query={versions}>
        {() => (
          <p className={said ? 'whitespace-pre-line' : 'text-sm text-muted'}>
            {said ?? 'Nobody has written how these rows are to be labelled.'}
          </p>
        )}
      </Loaded>
      {examples.length > 0 && (
        <details className="mt-3">
          <summary>Examples</summary>
          <dl className="mt-2 grid gap-3">
            {examples.map(({ label, row }) => (
              <div key={label}>
                <dt className="text-sm text-muted">{label}</dt>
                <dd>
                  <DrawnRow row={row} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      <Dialog title={`How ${dataset} is labelled`} open={editing} onClose={() => setEditing(false)}>
        <Form dataset={dataset} version={version} said={said ?? ''} onDone={() => setEditing(false)} />
      </Dialog>
    </Panel>
  );
}

interface FormProps {
  readonly dataset: string;
  readonly version: string;
  readonly said: string;
  readonly onDone: () => void;
}

function Form({ dataset, version, said, onDone }: FormProps): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm(`guidelines ${dataset}`);
  const save = useMutation({
    mutationFn: (guidelines: string) =>
      body(
        api.PATCH('/felix/datasets/{name}/{version}', {
          params: { path: { name: dataset, version } },
          body: { guidelines },
        }),
      ),
    onSuccess: async () => {
      kept.forget();
      await queries.invalidateQueries({ queryKey: ['datasets', dataset] });
      onDone();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    save.mutate(textOf(new FormData(event.currentTarget), 'guidelines'));
  };
  return (
    <form ref={kept.ref} className="grid gap-3" onSubmit={submit}>
      <TextArea
        label="Guidelines"
        name="guidelines"
        rows={12}
        maxLength={10_000}
        required
        defaultValue={said}
        hint="What each label means, and what is decided in doubt. All who label this dataset see it beside the text."
      />
      <Problem error={save.error} />
      <div>
        <Button kind="main" type="submit" disabled={save.isPending}>
          Save the guidelines
        </Button>
      </div>
    </form>
  );
}
