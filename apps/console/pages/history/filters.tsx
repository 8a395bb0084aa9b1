import { useQueries } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { VERDICT_NAMES } from '../../components/verdict-buttons.js';
import { momentsOf } from '../../components/moments.js';
import type { Filters } from '../../components/use-filters.js';
import { counted as countedOf, number } from '../../components/values.js';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly values?: readonly string[];
  readonly hint?: string;
  readonly kind?: 'number' | 'datetime-local';
  /** Its values, with the number of calls that have each, are those of this group of the statistics. */
  readonly counted?: Counted;
}

type Counted = 'model' | 'label' | 'verdict';

const FIELDS: readonly Field[] = [
  { name: 'model_id', label: 'Model', hint: 'name or id', counted: 'model' },
  { name: 'status', label: 'Status', values: ['success', 'failed'] },
  { name: 'verdict', label: 'Verdict', values: [...VERDICT_NAMES, 'none'], counted: 'verdict' },
  { name: 'since', label: 'Since', kind: 'datetime-local' },
  { name: 'until', label: 'Until', kind: 'datetime-local' },
  {
    name: 'task',
    label: 'Task',
    values: ['extract_entities', 'classify_text', 'extract_json', 'extract_relations', 'schema', 'generate', 'embed'],
  },
  { name: 'label', label: 'Label', hint: 'that the answer gives', counted: 'label' },
  { name: 'confidence_min', label: 'Confidence from', kind: 'number', hint: '0 to 1' },
  { name: 'confidence_max', label: 'Confidence to', kind: 'number', hint: '0 to 1' },
  { name: 'latency_min', label: 'Latency from (ms)', kind: 'number' },
  { name: 'latency_max', label: 'Latency to (ms)', kind: 'number' },
  { name: 'has_feedback', label: 'Feedback', values: ['true', 'false'] },
  { name: 'shadow', label: 'Shadow calls', values: ['true', 'false'] },
  { name: 'training_job_id', label: 'Training job', hint: 'its id' },
  { name: 'project_id', label: 'Project', hint: 'its id' },
  { name: 'key', label: 'API key', hint: 'its id' },
  { name: 'user', label: 'Person', hint: 'their id' },
];

const NAMES = FIELDS.map(({ name }) => name);

export const FILTER_NAMES: Readonly<Record<string, string>> = {
  text: 'Text',
  ...Object.fromEntries(FIELDS.map(({ name, label }) => [name, label])),
};

/** The filters of an address that select calls. */
export const selecting = (filters: Filters): Filters =>
  Object.fromEntries(Object.keys(FILTER_NAMES).flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));

const WORDS: Readonly<Record<string, string>> = { true: 'only with', false: 'only without' };

interface Props {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** How many of the calls that the other filters select have each value, the most frequent first; undefined until it is known. */
function useCounts(filters: Filters): Readonly<Record<Counted, ReadonlyMap<string, number> | undefined>> {
  const names = { model: 'model_id', label: 'label', verdict: 'verdict' } as const;
  const groups = Object.keys(names) as Counted[];
  const found = useQueries({
    queries: groups.map((group_by) => {
      const others = Object.fromEntries(Object.entries(filters).filter(([name]) => name !== names[group_by]));
      return {
        queryKey: ['stats', others, group_by],
        queryFn: () => body(api.GET('/inferences/stats', { params: { query: { ...momentsOf(others), group_by } } })),
        meta: { late: true },
      };
    }),
  });
  const counts = groups.map((group, index) => [group, found[index]!.data && countsOf(found[index]!.data, group)]);
  return Object.fromEntries(counts) as Record<Counted, ReadonlyMap<string, number> | undefined>;
}

const countsOf = ({ groups }: Schema['InferenceStats'], by: Counted): ReadonlyMap<string, number> =>
  new Map(
    groups
      .toSorted((a, b) => b.count - a.count)
      .flatMap((group) => (group[by] ? [[group[by], group.count] as const] : [])),
  );

/** The filters of the history. The address holds them, so that a link shows the same calls. */
export function HistoryFilters({ filters, onChange }: Props): ReactElement {
  const counts = useCounts(filters);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onChange(Object.fromEntries(NAMES.map((name) => [name, textOf(form, name).trim()])));
  };
  const field = ({ name, label, values, hint, kind, counted }: Field): ReactElement => {
    const found = counted && counts[counted];
    return values ? (
      <Select key={name} label={label} name={name} defaultValue={filters[name] ?? ''} className="w-full">
        <option value="">any</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {WORDS[value] ?? value.replaceAll('_', ' ')}
            {found && ` (${number(found.get(value) ?? 0)})`}
          </option>
        ))}
      </Select>
    ) : (
      <Input
        key={name}
        label={label}
        name={name}
        defaultValue={filters[name]}
        className="w-full"
        {...(hint && { placeholder: hint })}
        {...(kind && { type: kind })}
        {...(kind === 'number' && { min: 0, step: 'any' })}
        {...(found && { options: [...found].map(([value, count]) => [value, countedOf(count, 'call')] as const) })}
      />
    );
  };
  return (
    // Another address, as after going back, refills the fields.
    <form key={JSON.stringify(filters)} onSubmit={submit} className="grid gap-3">
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-4">{FIELDS.map(field)}</div>
      <div className="flex flex-wrap gap-2">
        <Button kind="main" type="submit">
          Filter
        </Button>
        <Button onClick={() => onChange(Object.fromEntries(NAMES.map((name) => [name, ''])))}>Clear</Button>
      </div>
    </form>
  );
}

interface SearchProps {
  readonly text: string;
  readonly onChange: (filters: Filters) => void;
}

/** Finds calls by words of their texts. */
export const Search = ({ text, onChange }: SearchProps): ReactElement => (
  <form
    role="search"
    className="w-full sm:w-80"
    onSubmit={(event) => {
      event.preventDefault();
      onChange({ text: textOf(new FormData(event.currentTarget), 'text').trim() });
    }}
  >
    <input
      type="search"
      name="text"
      aria-label="Words of the text"
      placeholder="Words of the text"
      defaultValue={text}
      className="input"
    />
  </form>
);
