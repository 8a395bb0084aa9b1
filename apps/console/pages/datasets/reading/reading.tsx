import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Schema } from '../../../api/client.js';
import { previewFile, processFile, type OnError, type Reading as How, type UploadedType } from '../../../api/upload.js';
import { Button } from '../../../components/button.js';
import { Select } from '../../../components/field.js';
import { Headline } from '../../../components/headline.js';
import { Panel } from '../../../components/page.js';
import { Row } from '../../../components/row.js';
import { Loaded, Problem } from '../../../components/states.js';
import { useStored } from '../../../components/use-stored.js';
import { counted, number } from '../../../components/values.js';
import { OnErrorSelect } from '../on-error.js';
import { Reasons } from '../reasons.js';
import { Columns } from './columns.js';
import { FORMATS } from './formats.js';
import { TypeSelect } from './type.js';

type Format = NonNullable<How['format']>;
type Preview = Schema['UploadPreview'];

/** An uploaded file before it is read: its first rows as a version would have them, and what may be said of them. */
export function Reading({ version }: { readonly version: Schema['DatasetVersionRecord'] }): ReactElement {
  const { id, name, version_number } = version;
  const [reading, setReading] = useStored<How>(`reading ${id}`, {});
  const queries = useQueryClient();
  const preview = useQuery({
    queryKey: ['upload', id, reading],
    queryFn: () => previewFile({ name, version: version_number }, reading),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const process = useMutation({
    mutationFn: () => processFile(id, reading),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['datasets'] }),
  });
  const type = reading.dataset_type ?? (version.dataset_type as UploadedType);
  return (
    <Loaded query={preview} rows={8}>
      {(found) => (
        <>
          <Verdict
            preview={found}
            action={
              <Button
                kind={found.suggested ? 'plain' : 'main'}
                disabled={process.isPending || preview.isFetching}
                onClick={() => process.mutate()}
              >
                {process.isPending
                  ? 'Reading…'
                  : found.whole
                    ? `Read ${counted(found.rows_read, 'row')}`
                    : 'Read all rows'}
              </Button>
            }
          />
          <Problem error={process.error} />
          {found.processing_error && !found.suggested && <Problem error={new Error(found.processing_error)} />}
          {found.suggested && (
            <Suggested suggested={found.suggested} onUse={(mapping) => setReading({ ...reading, ...mapping })} />
          )}
          <div className="columns">
            <div className="grid gap-6">
              <Columns columns={found.columns} type={type} reading={reading} onChange={setReading} />
              <FirstRows rows={found.rows} />
              <LeftOut preview={found} />
            </div>
            <Panel title="How it is read">
              <div className="grid gap-3">
                <TypeSelect
                  value={type}
                  onChange={({ target }) => setReading({ ...reading, dataset_type: target.value as UploadedType })}
                />
                <Select
                  label="Format"
                  value={reading.format ?? ''}
                  onChange={({ target }) => setReading({ ...reading, format: (target.value || null) as Format | null })}
                >
                  <option value="">as the file shows</option>
                  {Object.entries(FORMATS).map(([format, title]) => (
                    <option key={format} value={format}>
                      {title}
                    </option>
                  ))}
                </Select>
                <OnErrorSelect
                  value={reading.on_error ?? ''}
                  onChange={({ target }) =>
                    setReading({ ...reading, on_error: (target.value || null) as OnError | null })
                  }
                />
                <dl className="kv">
                  <dt>Read as</dt>
                  <dd>{found.read_as ?? found.format ?? '–'}</dd>
                  <dt>Labelled for</dt>
                  <dd>{found.heads.join(', ') || '–'}</dd>
                  <dt>Labels</dt>
                  <dd>{found.labels.join(', ') || '–'}</dd>
                </dl>
              </div>
            </Panel>
          </div>
        </>
      )}
    </Loaded>
  );
}

function Verdict({ preview, action }: { readonly preview: Preview; readonly action: ReactElement }): ReactElement {
  const { rows_read, whole, processing_error, left_out, labels, rows } = preview;
  const base = whole ? counted(rows_read, 'row') : `the first ${counted(rows_read, 'row')}`;
  if (processing_error && rows.length === 0)
    return (
      <Headline
        kind="bad"
        then="Say below which column is which, or what its format is. Nothing of it is stored yet."
        action={action}
      >
        None of {base} can be read as they are.
      </Headline>
    );
  if (left_out)
    return (
      <Headline
        kind={processing_error ? 'bad' : 'warn'}
        then={
          processing_error
            ? 'So many wrong rows fail a version, unless all of them are left out.'
            : 'All others are read.'
        }
        action={action}
      >
        <b>{number(left_out.rows)}</b> of {base} cannot be used.
      </Headline>
    );
  if (processing_error)
    return (
      <Headline kind="bad" then="Nothing of it is stored yet." action={action}>
        The file cannot be read as it is.
      </Headline>
    );
  return (
    <Headline kind="good" then="Nothing is stored until you say so." action={action}>
      <b>{base}</b> {rows_read === 1 ? 'is' : 'are'} read, with <b>{counted(labels.length, 'label')}</b> to learn from.
    </Headline>
  );
}

interface SuggestedProps {
  readonly suggested: NonNullable<Preview['suggested']>;
  readonly onUse: (mapping: Pick<How, 'column_mapping' | 'label_names'>) => void;
}

function Suggested({ suggested, onUse }: SuggestedProps): ReactElement {
  const { column_mapping, label_names } = suggested as {
    readonly column_mapping: Record<string, string>;
    readonly label_names: Record<string, string[]>;
  };
  const said = Object.entries(column_mapping).map(([ours, theirs]) => `${theirs} is the ${ours}`);
  return (
    <div className="callout info">
      <span className="said">The rows can be read if {said.join(', and ')}.</span>
      <Button kind="main" onClick={() => onUse({ column_mapping, label_names })}>
        Read them so
      </Button>
    </div>
  );
}

const FirstRows = ({ rows }: { readonly rows: Preview['rows'] }): ReactElement | null =>
  rows.length === 0 ? null : (
    <Panel title="The first rows, as they are read">
      <ol className="grid gap-3">
        {rows.map((row, index) => (
          <li key={index} className="border-l-2 border-line pl-3">
            <Row row={row} />
          </li>
        ))}
      </ol>
    </Panel>
  );

function LeftOut({ preview }: { readonly preview: Preview }): ReactElement | null {
  const { left_out, row_errors, left_out_rows: rows } = preview;
  const reasons = left_out?.reasons ?? row_errors?.reasons ?? [];
  if (reasons.length === 0) return null;
  return (
    <Panel title="Rows that cannot be used">
      <div className="grid gap-3">
        <Reasons caption="Why rows cannot be used" reasons={reasons} />
        {rows.length > 0 && (
          <details>
            <summary>The first of them</summary>
            <ol className="mt-2 grid gap-2">
              {rows.map(({ row, reason, data }) => (
                <li key={row} className="grid gap-1 text-sm">
                  <span>
                    Row {number(row)}: {reason}
                  </span>
                  <code className="code text-xs break-all">{JSON.stringify(data)}</code>
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
    </Panel>
  );
}
