import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import Pencil from 'lucide-react/icons/pencil';
import { useState, type FormEvent, type ReactElement } from 'react';
import { fetchAnswer, refusal, type Schema } from '../../../api/client.js';
import { processFile, sendFile, type UploadedType } from '../../../api/upload.js';
import { Button } from '../../../components/button.js';
import { Dialog } from '../../../components/dialog.js';
import { TextArea } from '../../../components/field.js';
import { textOf } from '../../../components/form.js';
import { isRecord, json, type Fields } from '../../../components/json.js';
import { Problem } from '../../../components/states.js';
import { replaceLine } from './lines.js';

type Version = Schema['DatasetVersionRecord'];

/** All rows pass through the browser. */
const MAX_BYTES = 64_000_000;
const UPLOADED: readonly string[] = ['ner', 'classification', 'decoder', 'custom'];

export const isEditable = ({ size, dataset_type, type }: Version): boolean =>
  size <= MAX_BYTES && type === 'training' && UPLOADED.includes(dataset_type);

interface Props {
  readonly version: Version;
  readonly row: Fields;
  /** Of the row, from 1. */
  readonly number: number;
}

/** Changes a row, or removes it, in the next version: this one stays as it is. */
export function Edit({ version, row, number }: Props): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: (text: string | null) => saveRow(version, number, text),
    onSuccess: async (params) => {
      setOpen(false);
      await queries.invalidateQueries({ queryKey: ['datasets'] });
      await navigate({ to: '/datasets/$name/$version', params });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    save.mutate(textOf(new FormData(event.currentTarget), 'row'));
  };
  return (
    <>
      <Button kind="quiet" className="icon" aria-label={`Edit row ${number}`} onClick={() => setOpen(true)}>
        <Pencil className="i" />
      </Button>
      <Dialog title={`Edit row ${number}`} open={isOpen} onClose={() => setOpen(false)}>
        <form className="grid gap-3" onSubmit={submit}>
          <TextArea
            label="Row"
            name="row"
            rows={12}
            className="w-full font-mono text-sm"
            defaultValue={json(row)}
            hint={`It is saved as the next version of ${version.name}; version ${version.version_number} stays as it is.`}
          />
          <Problem error={save.error} />
          <div className="flex flex-wrap gap-2">
            <Button kind="main" type="submit" disabled={save.isPending}>
              {save.isPending ? 'Saving…' : 'Save as the next version'}
            </Button>
            <Button kind="bad" disabled={save.isPending} onClick={() => save.mutate(null)}>
              Leave the row out
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}

/** @returns the next version */
async function saveRow({ name, version_number, dataset_type }: Version, row: number, text: string | null) {
  const line = text === null ? null : JSON.stringify(parsed(text));
  const answer = await fetchAnswer(`/felix/datasets/${encodeURIComponent(name)}/${version_number}/download`);
  if (!answer.ok) throw await refusal(answer);
  const content = replaceLine(await answer.text(), row, line);
  // The rows are Anneal's own: none of them may get lost.
  const reading = { dataset_type: dataset_type as UploadedType, format: 'rows', on_error: 'fail' } as const;
  const { id, version } = await sendFile(name, 'edited.jsonl', content, reading);
  await processFile(id);
  return { name, version };
}

function parsed(text: string): Fields {
  try {
    const row: unknown = JSON.parse(text);
    if (isRecord(row)) return row;
  } catch {
    // Said below.
  }
  throw new Error('The row must be a JSON object.');
}
