import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type DragEvent, type ReactElement } from 'react';
import { previewFile, processFile, sendFile, type OnError, type Reading, type UploadedType } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { Check, Input } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';
import { useStored } from '../../components/use-stored.js';
import { bytes, counted } from '../../components/values.js';
import { OnErrorSelect } from './on-error.js';
import { TypeSelect } from './reading/type.js';

interface Sent {
  readonly name: string;
  readonly version: string;
  /** Whether it waits for a person to say how it is read. */
  readonly waits: boolean;
}

/** Sends a file, and has it read, unless its first rows would fail it or a person wants to see them before. */
async function upload(file: File, name: string, reading: Reading, isShown: boolean): Promise<Sent> {
  const sent = await sendFile(name, file.name, file, reading);
  // A file that cannot be previewed, as a very large table, is read at once.
  const preview = isShown ? null : await previewFile(sent, {}).catch(() => undefined);
  const waits = isShown || (preview?.processing_error ?? null) !== null;
  if (!waits) await processFile(sent.id);
  return { name: sent.name, version: sent.version, waits };
}

/** Takes files, dropped or chosen, and shows the version of one, or those of several. */
export function Upload(): ReactElement {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const chooser = useRef<HTMLInputElement>(null);
  const [files, setFiles] = useState<readonly File[]>([]);
  const [file, ...others] = files;
  const [given, setGiven] = useStored<string | null>('name of an upload', null);
  const name = given ?? (file ? nameFrom(file.name) : '');
  const [type, setType] = useState<UploadedType>('ner');
  const [onError, setOnError] = useState<OnError | ''>('');
  const [isShown, setShown] = useStored('first rows before an upload', false);
  const [over, setOver] = useState(false);
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const reading = { dataset_type: type, ...(onError && { on_error: onError }) };
  const send = useMutation({
    mutationFn: async () => {
      const done: Sent[] = [];
      for (const each of files) {
        done.push(await upload(each, files.length > 1 ? nameFrom(each.name) : name, reading, isShown));
        setSent([...done]);
      }
      return done;
    },
    onSuccess: async ([first, ...more]) => {
      setGiven(null);
      setFiles([]);
      await queries.invalidateQueries({ queryKey: ['datasets'] });
      if (!first || more.length > 0) return;
      await navigate({ to: '/datasets/$name/$version', params: { name: first.name, version: first.version } });
    },
  });
  const choose = (chosen: FileList | null): void => {
    if (!chosen || chosen.length === 0) return;
    setFiles([...chosen]);
    setSent([]);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files);
  };
  return (
    <Panel title="Upload">
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (file) send.mutate();
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
          {file ? (
            <ul>
              {files.map((each) => (
                <li key={each.name}>
                  {each.name}, {bytes(each.size)}
                  {others.length > 0 && `: dataset ${nameFrom(each.name)}`}
                </li>
              ))}
            </ul>
          ) : (
            <p>
              Drop files here: JSONL, JSON, CSV, TSV, Parquet, Arrow, CoNLL, a zip of BRAT, exports of labelling tools.
            </p>
          )}
          <Button onClick={() => chooser.current?.click()}>{file ? 'Choose other files' : 'Choose files'}</Button>
          <input
            ref={chooser}
            type="file"
            multiple
            aria-label="File"
            className="sr-only"
            tabIndex={-1}
            onChange={({ target }) => choose(target.files)}
          />
        </div>
        {others.length === 0 && (
          <Input
            label="Dataset"
            value={name}
            onChange={({ target }) => setGiven(target.value)}
            required
            hint="A new name, or one that is there: the file becomes its next version."
          />
        )}
        <TypeSelect value={type} onChange={({ target }) => setType(target.value as UploadedType)} />
        <OnErrorSelect value={onError} onChange={({ target }) => setOnError(target.value as OnError | '')} />
        <Check label="Show the first rows before they are read" checked={isShown} onChange={setShown} />
        <Problem error={send.error} />
        <div>
          <Button kind="main" type="submit" disabled={!file || send.isPending}>
            {send.isPending ? 'Uploading…' : others.length > 0 ? `Upload ${counted(files.length, 'file')}` : 'Upload'}
          </Button>
        </div>
      </form>
      {sent.length > 0 && <Done sent={sent} />}
    </Panel>
  );
}

/** Versions of several files. */
const Done = ({ sent }: { readonly sent: readonly Sent[] }): ReactElement => (
  <ul className="mt-4 grid gap-1" aria-label="Uploaded files">
    {sent.map(({ name, version, waits }) => (
      <li key={name}>
        <Link to="/datasets/$name/$version" params={{ name, version }}>
          {name}/{version}
        </Link>{' '}
        {waits ? 'waits: say how it is read' : 'is read'}
      </li>
    ))}
  </ul>
);

/** A file's name without its ends: `tickets.jsonl.gz` is `tickets`. */
const nameFrom = (filename: string): string => (filename.split('.')[0] ?? '').replaceAll(/[^A-Za-z0-9_-]+/g, '-');
