import type { FormEvent, ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import type { Filters } from '../../components/use-filters.js';

const CHOICES = {
  status: { label: 'Status', values: ['success', 'failed'] },
  verdict: { label: 'Verdict', values: ['correct', 'incorrect', 'unsure', 'none'] },
} as const;

const NAMES = ['text', 'model_id', 'status', 'verdict', 'since', 'until'] as const;

interface Props {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** What of the history is shown. It stands in the address, so that a link leads to the same calls. */
export function HistoryFilters({ filters, onChange }: Props): ReactElement {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onChange(Object.fromEntries(NAMES.map((name) => [name, textOf(form, name)])));
  };
  return (
    // Another address, as after going back, fills the fields anew.
    <form key={JSON.stringify(filters)} onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <Input label="Text" name="text" defaultValue={filters['text']} placeholder="words of the text" />
      <Input label="Model" name="model_id" defaultValue={filters['model_id']} placeholder="name or id" />
      {Object.entries(CHOICES).map(([name, { label, values }]) => (
        <Select key={name} label={label} name={name} defaultValue={filters[name] ?? ''}>
          <option value="">any</option>
          {values.map((value) => (
            <option key={value}>{value}</option>
          ))}
        </Select>
      ))}
      <Input label="Since" name="since" type="datetime-local" defaultValue={filters['since']} />
      <Input label="Until" name="until" type="datetime-local" defaultValue={filters['until']} />
      <Button kind="main" type="submit">
        Filter
      </Button>
      <Button onClick={() => onChange(Object.fromEntries(NAMES.map((name) => [name, ''])))}>Clear</Button>
    </form>
  );
}
