import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState, type DragEvent, type ReactElement } from 'react';
import { uploadDataset, type OnError, type UploadedType } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { OnErrorSelect } from './on-error.js';
import { Problem } from '../../components/states.js';
import { useStored } from '../../components/use-stored.js';
import { bytes } from '../../components/values.js';

/** Takes a file, dropped or chosen, and shows its version while that is processed. */
export function Upload(): ReactElement {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const chooser = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const [given, setGiven] = useStored<string | null>('name of an upload', null);
  const name = given ?? (file ? nameFrom(file.name) : '');
  const [type, setType] = useState<UploadedType>('ner');
  const [onError, setOnError] = useState<OnError | ''>('');
  const [over, setOver] = useState(false);
  const upload = useMutation({
    mutationFn: (chosen: File) => uploadDataset(name, chosen.name, chosen, type, onError || undefined),
    onSuccess: async (version) => {
      setGiven(null);
      await queries.invalidateQueries({ queryKey: ['datasets'] });
      await navigate({ to: '/datasets/$name/$version', params: { name, version } });
    },
  });
  const choose = (chosen: File | undefined): void => {
    if (!chosen) return;
    setFile(chosen);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files[0]);
  };
  return (
    <Panel title="Upload">
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (file) upload.mutate(file);
        }}
      >
        <div
          onDrop={onDrop}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          className={`grid justify-items-center gap-2 rounded-md border border-dashed px-3 py-6 text-center ${over ? 'border-accent bg-accent-soft' : 'border-line'}`}
        >
          <p>
            {file
              ? `${file.name}, ${bytes(file.size)}`
              : 'Drop a file here: JSONL, JSON, CSV, TSV, Parquet, Arrow, CoNLL, a zip of BRAT, exports of labelling tools.'}
          </p>
          <Button onClick={() => chooser.current?.click()}>{file ? 'Choose another file' : 'Choose a file'}</Button>
          <input
            ref={chooser}
            type="file"
            aria-label="File"
            className="sr-only"
            tabIndex={-1}
            onChange={({ target }) => choose(target.files?.[0])}
          />
        </div>
        <Input
          label="Dataset"
          value={name}
          onChange={({ target }) => setGiven(target.value)}
          required
          hint="A new name, or one that is there: the file becomes its next version."
        />
        <Select label="Its rows are" value={type} onChange={({ target }) => setType(target.value as UploadedType)}>
          <option value="ner">texts with entities, classes, structures or relations</option>
          <option value="classification">texts with classes</option>
          <option value="decoder">chats, or pairs of answers, for a language model</option>
          <option value="custom">free, with or without labels</option>
        </Select>
        <OnErrorSelect value={onError} onChange={({ target }) => setOnError(target.value as OnError | '')} />
        <Problem error={upload.error} />
        <div>
          <Button kind="main" type="submit" disabled={!file || upload.isPending}>
            {upload.isPending ? 'Uploading…' : 'Upload'}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

/** A file's name without its ends: `tickets.jsonl.gz` is `tickets`. */
const nameFrom = (filename: string): string => (filename.split('.')[0] ?? '').replaceAll(/[^A-Za-z0-9_-]+/g, '-');
