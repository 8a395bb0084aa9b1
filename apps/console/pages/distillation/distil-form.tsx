import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { percent } from '../../components/values.js';
import { Begun, NameField, useDistil, type From } from './begin.js';
import { changedHeads, HeadFields } from './head-fields.js';
import { labelIn, LabelFields, textsQuery, type Datasets, type Label } from './label-fields.js';
import { TeacherField, teachersQuery } from './teacher-field.js';
import { lacksCalls, shareAt, USUAL_TARGET, type Task } from './savings.js';

const TARGETS = [0.92, 0.95, 0.98];

interface Props {
  readonly task: Task;
  readonly from: From;
}

/** Begins a model that answers the calls of a task. */
export function DistilForm({ task, from }: Props): ReactElement {
  const teachers = useQuery(teachersQuery);
  const datasets = useQuery(textsQuery);
  if (teachers.isPending || datasets.isPending) return <Loading rows={4} />;
  const canLabel = teachers.data?.includes(task.model) === true;
  if (lacksCalls(task) && !canLabel)
    return <Empty>It cannot be asked for more: there is no model {task.model} here.</Empty>;
  return <OrderForm task={task} from={from} datasets={canLabel ? (datasets.data ?? []) : null} />;
}

/** @param datasets whose texts the model of the calls can be asked about; null: it is none here */
function OrderForm({ task, from, datasets }: Props & { readonly datasets: Datasets | null }): ReactElement {
  const kept = useKeptForm(`distil ${task.id}`);
  const [label, setLabel] = useState<Label | null>(null);
  const read = (form: HTMLFormElement): void => setLabel(labelIn(new FormData(form)));
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (button.current?.form) read(button.current.form);
  }, []);
  const begin = useDistil({ task, from }, kept.forget);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const texts = labelIn(form);
    begin.mutate({
      form,
      target_agreement: Number(textOf(form, 'target')),
      prompt_versions: form.has('older') ? 'all' : 'newest',
      heads: changedHeads(task, form),
      ...(texts && { label: texts }),
    });
  };
  return (
    <>
      <form
        ref={kept.ref}
        onChange={({ currentTarget }) => read(currentTarget)}
        onSubmit={submit}
        className="grid gap-3"
      >
        <div className="flex flex-wrap items-start gap-3">
          <NameField />
          <Select
            label={`Agrees with ${task.model} in at least`}
            name="target"
            defaultValue={USUAL_TARGET}
            hint="of the calls that it answers by itself, with 95% confidence"
          >
            {TARGETS.map((target) => (
              <option key={target} value={target}>
                {percent(target)}
                {told(task, target)}
              </option>
            ))}
          </Select>
          <TeacherField model={task.model} />
        </div>
        <HeadFields task={task} />
        <label className="flex items-center gap-2">
          <input type="checkbox" name="older" /> Learn from calls of older versions of the prompt as well
        </label>
        {datasets && <LabelFields task={task} datasets={datasets} label={label} isRequired={lacksCalls(task)} />}
        <Problem error={begin.error} />
        <div>
          <Button ref={button} kind="main" type="submit" disabled={begin.isPending}>
            {begin.isPending ? 'Beginning…' : 'Distil a model'}
          </Button>
        </div>
      </form>
      <Begun name={begin.data} />
    </>
  );
}

function told(task: Task, target: number): string {
  const share = shareAt(task, target);
  return share === null ? '' : `, answers some ${percent(share)}`;
}
