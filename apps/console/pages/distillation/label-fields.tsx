import { queryOptions } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { counted, dollars, number } from '../../components/values.js';
import type { Task } from './savings.js';

export type Label = Schema['LabelBody'];
export type Datasets = readonly Schema['DatasetVersionRecord'][];

/** Types of datasets whose rows have texts. */
const OF_TEXTS: readonly string[] = ['ner', 'classification'];

/** Datasets whose texts can be labelled. */
export const textsQuery = queryOptions({
  queryKey: ['datasets', 'to label'],
  queryFn: () => body(api.GET('/felix/datasets', { params: { query: { limit: 200 } } })),
  select: ({ datasets }) =>
    datasets.filter(({ status, dataset_type: type }) => status === 'ready' && OF_TEXTS.includes(type)),
});

interface Props {
  readonly task: Task;
  readonly datasets: Datasets;
  /** What the form says. */
  readonly label: Label | null;
  readonly isRequired: boolean;
}

/** Texts that the teacher is asked about first, what that may cost, and what it will. */
export const LabelFields = ({ task, datasets, label, isRequired }: Props): ReactElement => (
  <details open={isRequired || undefined}>
    <summary className="cursor-pointer text-sm text-muted">Have {task.model} label texts of a dataset first</summary>
    <div className="mt-2 flex flex-wrap items-start gap-3">
      <Select
        label="Texts to label"
        name="label"
        required={isRequired}
        hint={
          datasets.length === 0
            ? 'there is no dataset of texts yet: upload one, with any labels'
            : `each is asked in the words of the newest call; what ${task.model} answers is learned`
        }
      >
        <option value="">{isRequired ? 'choose a dataset' : 'none'}</option>
        {datasets.map(({ id, name, sample_size: rows }) => (
          <option key={id} value={name}>
            {name}, {counted(rows, 'row')}
          </option>
        ))}
      </Select>
      <Input
        label="At most (US dollars)"
        name="budget"
        type="number"
        step="any"
        min={0.000_001}
        required={label !== null}
        hint="then it asks no more, and learns from what was answered"
      />
    </div>
    <p role="status" className="mt-2 min-h-6 text-sm text-muted">
      {label && priceOf(task, datasets.find(({ name }) => name === label.dataset.name)?.sample_size ?? 0, label.budget)}
    </p>
  </details>
);

/** What the form says; null: no text is to be labelled. */
export function labelIn(form: FormData): Label | null {
  const name = textOf(form, 'label');
  return name === '' ? null : { dataset: { name }, budget: Number(textOf(form, 'budget')) };
}

function priceOf({ cost, calls }: Task, texts: number, budget: number): string {
  const each = cost / calls;
  const price = `${counted(texts, 'text')} at ${dollars(each)} each, as its calls cost on average: about ${dollars(texts * each)}.`;
  const paid = Math.floor(budget / each);
  return budget > 0 && paid < texts
    ? `${price} ${dollars(budget)} pays for about ${number(paid)} of them.`
    : `${price} Texts that its calls had before are not asked about again.`;
}
