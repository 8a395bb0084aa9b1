import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { Editable } from '../../components/permitted.js';
import { Problem } from '../../components/states.js';
import { Time } from '../../components/values.js';

const FIELDS = [
  { name: 'purpose', label: 'Purpose', hint: 'What the rows are for.', max: 2000 },
  { name: 'source', label: 'Source', hint: 'Where the rows come from.', max: 2000 },
  { name: 'license', label: 'License', hint: 'An SPDX id, such as CC-BY-4.0, or another text.', max: 200 },
  { name: 'consent', label: 'Consent', hint: 'On what grounds people’s data is in the rows.', max: 2000 },
] as const;

/** What people say of a version: the rows are sealed, this can be changed, and each change is an event. */
export function Description({ version }: { readonly version: Schema['DatasetVersionRecord'] }): ReactElement {
  const queries = useQueryClient();
  const { name, version_number, description } = version;
  const [edited, setEdited] = useState<Partial<Record<string, string>>>({});
  const save = useMutation({
    mutationFn: () => {
      const said = Object.fromEntries(Object.entries(edited).map(([field, text]) => [field, text?.trim() || null]));
      const path = { name, version: version_number };
      return body(api.PATCH('/felix/datasets/{name}/{version}', { params: { path }, body: said }));
    },
    onSuccess: async () => {
      setEdited({});
      await queries.invalidateQueries({ queryKey: ['datasets', name] });
    },
  });
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Panel title="Description">
      <form className="grid gap-3" onSubmit={onSubmit}>
        <Editable sends="PATCH /felix/datasets/{name}/{version}">
          {FIELDS.map(({ name: field, label, hint, max }) => (
            <Input
              key={field}
              label={label}
              hint={hint}
              maxLength={max}
              value={edited[field] ?? description?.[field] ?? ''}
              onChange={({ target }) => setEdited({ ...edited, [field]: target.value })}
            />
          ))}
        </Editable>
        <Problem error={save.error} />
        <div className="flex items-center gap-3">
          <Button
            kind="main"
            type="submit"
            sends="PATCH /felix/datasets/{name}/{version}"
            disabled={Object.keys(edited).length === 0 || save.isPending}
          >
            {save.isPending ? 'Saving…' : 'Save'}
          </Button>
          {description && (
            <span className="text-muted">
              Said by {description.by}, <Time at={description.at} />
            </span>
          )}
        </div>
      </form>
    </Panel>
  );
}
