import type { FormEvent, ReactElement } from 'react';
import type { Schema } from '../../../api/client.js';
import { Button } from '../../../components/button.js';
import { Input, Select } from '../../../components/field.js';
import { textOf } from '../../../components/form.js';
import { trainedTitle } from '../../../components/trained-title.js';
import type { Filters } from '../../../components/use-filters.js';

/** Filters of rows, by their names for people. */
export const ROW_FILTERS: Readonly<Record<string, string>> = {
  label: 'Label',
  min_characters: 'Characters from',
  max_characters: 'Characters to',
  duplicate: 'Repeats an earlier row',
  wrong: 'Wrong in the evaluation',
};

/** @param onSearch is told what was written once the form is sent */
export const Search = ({ value, onSearch }: { readonly value: string; readonly onSearch: (words: string) => void }) => (
  <form
    role="search"
    className="flex gap-2"
    onSubmit={(event) => {
      event.preventDefault();
      onSearch(textOf(new FormData(event.currentTarget), 'q').trim());
    }}
  >
    <input
      className="input"
      type="search"
      name="q"
      aria-label="Words in a row"
      placeholder="Words in a row"
      defaultValue={value}
    />
  </form>
);

interface Props {
  readonly filters: Filters;
  readonly version: Schema['DatasetVersionRecord'];
  readonly evaluations: readonly Schema['EvaluationRecord'][];
  readonly onChange: (filters: Filters) => void;
}

/** All filters of rows. */
export function RowFilters({ filters, version, evaluations, onChange }: Props): ReactElement {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onChange(Object.fromEntries(Object.keys(ROW_FILTERS).map((name) => [name, textOf(form, name)])));
  };
  return (
    <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
      <Select label="Label" name="label" defaultValue={filters['label']}>
        <option value="">any</option>
        {version.labels.map((label) => (
          <option key={label}>{label}</option>
        ))}
      </Select>
      <Input
        label="Characters from"
        name="min_characters"
        type="number"
        min={0}
        defaultValue={filters['min_characters']}
      />
      <Input
        label="Characters to"
        name="max_characters"
        type="number"
        min={0}
        defaultValue={filters['max_characters']}
      />
      <Select label="Repeats an earlier row" name="duplicate" defaultValue={filters['duplicate']}>
        <option value="">any</option>
        <option value="true">only those</option>
        <option value="false">none of those</option>
      </Select>
      {evaluations.length > 0 && (
        <Select label="A model gets it wrong" name="wrong" defaultValue={filters['wrong']}>
          <option value="">any</option>
          {evaluations.map((each) => (
            <option key={each.id} value={each.id}>
              {evaluationTitle(each)}
            </option>
          ))}
        </Select>
      )}
      <Button type="submit">Apply</Button>
    </form>
  );
}

export const evaluationTitle = ({ model_id, base_model, f1, completed_at }: Schema['EvaluationRecord']): string =>
  trainedTitle({ model_name: model_id ?? base_model ?? 'a model', metrics: { f1 }, completed_at });
