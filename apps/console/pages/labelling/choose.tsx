import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Select } from '../../components/field.js';
import { Loaded } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';

export const labelledQuery = queryOptions({
  queryKey: ['datasets', 'ready'],
  queryFn: () => body(api.GET('/felix/datasets', { params: { query: { limit: 100 } } })),
});

interface Props {
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
}

/** Chooses a dataset's version to label, as the first or the second pass of a person, or two versions to compare. */
export function Choose({ filters, onChange }: Props): ReactElement {
  const datasets = useQuery(labelledQuery);
  const { dataset = '', version = '', pass = '', second = '' } = filters;
  return (
    <Loaded query={datasets} rows={2}>
      {({ datasets: list }) => (
        <div className="grid gap-3 sm:grid-cols-2">
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
        </div>
      )}
    </Loaded>
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
