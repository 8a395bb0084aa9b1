import { useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import type { Filters } from '../../components/use-filters.js';

/** Filters of the route, with their names. */
export const SELECTING = {
  stream: 'Stream',
  type: 'Type',
  actor: 'Caused by',
  correlation_id: 'Request',
  since: 'Since',
  until: 'Until',
} as const;

interface Props {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** The filters of the log. The address holds them, so that a link shows the same events. */
export function LogFilters({ filters, onChange }: Props): ReactElement {
  const types = useQuery({
    queryKey: ['event-types'],
    queryFn: () => body(api.GET('/events/types')),
    staleTime: Infinity,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onChange(Object.fromEntries(Object.keys(SELECTING).map((name) => [name, textOf(form, name).trim()])));
  };
  const text = (name: keyof typeof SELECTING, placeholder: string): ReactElement => (
    <Input
      label={SELECTING[name]}
      name={name}
      defaultValue={filters[name]}
      placeholder={placeholder}
      list={name === 'type' ? 'event-types' : undefined}
      spellCheck={false}
      className="w-full"
    />
  );
  return (
    // Another address, as after going back, refills the fields.
    <form key={JSON.stringify(filters)} onSubmit={submit} className="grid gap-3">
      <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {text('stream', 'job-0199a7c2-…')}
        {text('type', 'project-created.v1')}
        {text('actor', 'user:…, key:…')}
        {text('correlation_id', 'its X-Request-Id')}
        <Input
          label={SELECTING.since}
          name="since"
          type="datetime-local"
          defaultValue={filters['since']}
          className="w-full"
        />
        <Input
          label={SELECTING.until}
          name="until"
          type="datetime-local"
          defaultValue={filters['until']}
          className="w-full"
        />
      </div>
      <datalist id="event-types">
        {types.data?.data.map(({ type }) => (
          <option key={type}>{type}</option>
        ))}
      </datalist>
      <div className="flex flex-wrap gap-2">
        <Button kind="main" type="submit">
          Show
        </Button>
        <Button onClick={() => onChange(Object.fromEntries(Object.keys(SELECTING).map((name) => [name, ''])))}>
          Clear
        </Button>
      </div>
    </form>
  );
}
