import type { ReactElement } from 'react';
import type { Schema } from '../../../api/client.js';
import type { Reading, UploadedType } from '../../../api/upload.js';
import { Input } from '../../../components/field.js';
import { Panel } from '../../../components/page.js';
import { Table } from '../../../components/table.js';
import { asNumbers, roleOf, rolesOf, withNames, withRole } from './roles.js';

interface Props {
  readonly columns: Schema['UploadPreview']['columns'];
  readonly type: UploadedType;
  readonly reading: Reading;
  readonly onChange: (reading: Reading) => void;
}

/** The columns of a file, with their first values: which of them is what. */
export function Columns({ columns, type, reading, onChange }: Props): ReactElement | null {
  const mapping = reading.column_mapping ?? {};
  const names = reading.label_names ?? {};
  if (columns.length === 0) return null;
  const numbered = columns.filter(
    ({ name, values }) => name in names || (/^label|^task/.test(roleOf(mapping, name)) && asNumbers(values)),
  );
  return (
    <Panel title="Columns of the file">
      <div className="grid gap-3">
        <Table
          caption="Columns of the file"
          rows={columns}
          rowKey={({ name }) => name}
          columns={[
            { head: 'Column', cell: ({ name }) => <b className="font-medium">{name}</b> },
            {
              head: 'First values',
              cell: ({ values }) => <span className="line-clamp-2 break-words">{values.map(shown).join(' · ')}</span>,
            },
            {
              head: 'Is',
              cell: ({ name }) => (
                <select
                  className="input"
                  aria-label={`What ${name} is`}
                  value={roleOf(mapping, name)}
                  onChange={({ target }) => {
                    const column_mapping = withRole(mapping, name, target.value);
                    const { [name]: _, ...others } = names;
                    onChange({ ...reading, column_mapping, label_names: target.value === '' ? others : names });
                  }}
                >
                  <option value="">as its name says</option>
                  {Object.entries(rolesOf(type)).map(([role, title]) => (
                    <option key={role} value={role}>
                      {title}
                    </option>
                  ))}
                </select>
              ),
            },
          ]}
        />
        {numbered.map(({ name }) => (
          <Input
            key={name}
            label={`Names of the numbers in ${name}`}
            defaultValue={(names[name] ?? []).join(', ')}
            hint="Between commas; the name of 0 comes first."
            onBlur={({ target }) => onChange({ ...reading, label_names: withNames(names, name, target.value) })}
          />
        ))}
      </div>
    </Panel>
  );
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
