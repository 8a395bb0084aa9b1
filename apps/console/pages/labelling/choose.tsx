import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { uploadDataset } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input, Select, TextArea } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Loaded, Problem } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { SETTLED } from '../datasets/settled.js';

interface Props {
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
}

/** Chooses a dataset's version to label, as the first or the second pass of a person, or two versions to compare. */
export function Choose({ filters, onChange }: Props): ReactElement {
  const datasets = useQuery({
    queryKey: ['datasets', 'ready'],
    queryFn: () => body(api.GET('/felix/datasets', { params: { query: { limit: 100 } } })),
  });
  const { dataset = '', version = '', pass = '', second = '' } = filters;
  return (
    <Panel>
      <Loaded query={datasets} rows={2}>
        {({ datasets: list }) => (
          <div className="flex flex-wrap items-start gap-3">
            <Select
              label="Dataset"
              value={dataset}
              onChange={({ target: { value } }) => {
                const newest = list.find(({ name }) => name === value)?.version_number;
                onChange({ dataset: value, version: newest, row: '', second: '' });
              }}
            >
              <option value="">choose one</option>
              {namesOf(list, dataset).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
            {dataset && (
              <>
                <Versions
                  label="Version"
                  name={dataset}
                  value={version}
                  onChange={(value) => onChange({ version: value, row: '' })}
                />
                <Select
                  label="Labels"
                  value={pass}
                  onChange={({ target }) => onChange({ pass: target.value, row: '' })}
                  hint={pass === 'blind' ? 'You do not see the labels of the first pass.' : ''}
                >
                  <option value="">begin with those of the row</option>
                  <option value="blind">second pass, blind</option>
                </Select>
                <Select
                  label="Compare with"
                  value={second}
                  onChange={({ target }) => onChange({ second: target.value })}
                  hint="The newest version of a second pass."
                >
                  <option value="">nothing</option>
                  {list.map(({ id, name, version_number }) => (
                    <option key={id} value={`${name}/${version_number}`}>
                      {name}, version {version_number}
                    </option>
                  ))}
                </Select>
              </>
            )}
            <Paste
              onUploaded={(name, made) => onChange({ dataset: name, version: made, row: '', second: '', pass: '' })}
            />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const namesOf = (list: readonly { readonly name: string }[], chosen: string): readonly string[] => [
  ...new Set([...list.map(({ name }) => name), ...(chosen ? [chosen] : [])]),
];

interface VersionsProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onChange: (version: string) => void;
}

function Versions({ label, name, value, onChange }: VersionsProps): ReactElement {
  const versions = useQuery({
    queryKey: ['datasets', name],
    queryFn: () => body(api.GET('/felix/datasets/{name}', { params: { path: { name } } })),
  });
  const ready = versions.data?.versions.filter(({ status }) => status === 'ready') ?? [];
  return (
    <Select label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      {!ready.some(({ version_number }) => version_number === value) && <option>{value}</option>}
      {ready.map(({ version_number }) => (
        <option key={version_number}>{version_number}</option>
      ))}
    </Select>
  );
}

/** Texts of one's own, which become a dataset without labels: so they are kept, and a reload loses none. */
function Paste({ onUploaded }: { readonly onUploaded: (name: string, version: string) => void }): ReactElement {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const kept = useKeptForm('texts to label');
  const upload = useMutation({
    mutationFn: async ({ name, texts }: { readonly name: string; readonly texts: readonly string[] }) => {
      const lines = texts.map((text) => JSON.stringify({ text })).join('\n');
      const version = await uploadDataset(name, 'texts.jsonl', lines, 'custom');
      await whenReady(name, version);
      return { name, version };
    },
    onSuccess: async ({ name, version }) => {
      await queries.invalidateQueries({ queryKey: ['datasets'] });
      kept.forget();
      setOpen(false);
      onUploaded(name, version);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const texts = textOf(form, 'texts')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    upload.mutate({ name: textOf(form, 'name'), texts });
  };
  const read = (form: HTMLFormElement | null, file: File | undefined): void => {
    const area = form?.elements.namedItem('texts');
    if (file && area instanceof HTMLTextAreaElement) void file.text().then((text) => (area.value = text));
  };
  return (
    <div className="self-center">
      <Button onClick={() => setOpen(true)}>Paste texts</Button>
      <Dialog title="Texts to label" open={open} onClose={() => setOpen(false)}>
        <form ref={kept.ref} className="grid gap-3" onSubmit={submit}>
          <TextArea label="Texts" name="texts" rows={8} required hint="One on each line." />
          <Input
            label="Or a text file"
            type="file"
            accept=".txt,text/plain"
            onChange={({ target }) => read(target.form, target.files?.[0])}
          />
          <Input label="Name of their dataset" name="name" required defaultValue="texts" />
          <Problem error={upload.error} />
          <div>
            <Button kind="main" type="submit" disabled={upload.isPending}>
              {upload.isPending ? 'Uploading…' : 'Begin'}
            </Button>
          </div>
        </form>
      </Dialog>
    </div>
  );
}

/** @throws Error with the upload's problem */
export async function whenReady(name: string, version: string): Promise<void> {
  for (;;) {
    const { status, processing_error: error } = await body(
      api.GET('/felix/datasets/{name}/{version}', { params: { path: { name, version } } }),
    );
    if (status === 'failed') throw new Error(error ?? 'The rows could not be read');
    if (SETTLED.has(status)) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
