import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { counted, number } from '../../components/values.js';

/** Systems whose exports are read; the first has the lines of this history's own export. */
const FORMATS = {
  anneal: 'Anneal',
  helicone: 'Helicone',
  langfuse: 'Langfuse',
  litellm: 'LiteLLM',
  openai: 'OpenAI',
  tensorzero: 'TensorZero',
} as const;

type Format = keyof typeof FORMATS;

/** Imports calls of another system, and says what became of each line. */
export function ImportCalls({ onDone }: { readonly onDone: () => void }): ReactElement {
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: (form: FormData) =>
      body(
        api.POST('/inferences/import', {
          params: { query: { format: textOf(form, 'format') as Format } },
          body: form.get('file') as never,
          bodySerializer: (file: unknown) => file as File,
          headers: { 'Content-Type': 'application/x-ndjson' },
        }),
      ),
    onSuccess: () => queries.invalidateQueries(),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    send.mutate(new FormData(event.currentTarget));
  };
  const report = send.data;
  if (!report)
    return (
      <form onSubmit={submit} className="grid gap-3">
        <Select label="Exported by" name="format" defaultValue="anneal">
          {Object.entries(FORMATS).map(([format, title]) => (
            <option key={format} value={format}>
              {title}
            </option>
          ))}
        </Select>
        <Input
          label="File"
          name="file"
          type="file"
          accept=".jsonl,.ndjson,.json,.gz"
          required
          hint="JSON lines, one call each. A call that is here already stays as it is."
        />
        <Problem error={send.error} />
        <div className="flex flex-wrap gap-2">
          <Button kind="main" type="submit" disabled={send.isPending}>
            {send.isPending ? 'Importing…' : 'Import calls'}
          </Button>
          <Button onClick={onDone}>Cancel</Button>
        </div>
      </form>
    );
  return (
    <div className="grid gap-3">
      <p role="status">
        <b>Imported {counted(report.imported, 'call')}</b> of {counted(report.lines, 'line')}
        {report.unchanged > 0 && `; ${number(report.unchanged)} were here already`}
        {report.refused > 0 && `; ${number(report.refused)} were refused`}.
      </p>
      {report.errors.length > 0 && (
        <Table
          caption="Refused lines"
          rows={report.errors}
          rowKey={({ line, field, reason }) => `${line} ${field} ${reason}`}
          columns={[
            { head: 'Line', number: true, cell: ({ line }) => number(line), by: ({ line }) => line },
            { head: 'Field', cell: ({ field }) => field ?? '–' },
            { head: 'Reason', cell: ({ reason }) => reason },
          ]}
        />
      )}
      <div>
        <Button onClick={onDone}>Done</Button>
      </div>
    </div>
  );
}
