import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { uploadDataset } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input, TextArea } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Problem } from '../../components/states.js';
import { whenReady } from '../datasets/settled.js';

/** Texts of one's own, which become a dataset without labels: so they are kept, and a reload loses none. */
export function Paste({ onUploaded }: { readonly onUploaded: (name: string, version: string) => void }): ReactElement {
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
    <>
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
    </>
  );
}
