import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { modelNames } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { percent } from '../../components/values.js';
import { Distillations } from './distillations.js';
import { changedHeads, HeadFields, type WantedHead } from './head-fields.js';
import { labelIn, LabelFields, textsQuery, type Datasets, type Label } from './label-fields.js';
import { TeacherField, teachersQuery } from './teacher-field.js';
import { lacksCalls, shareAt, USUAL_TARGET, type Task } from './savings.js';

/** The calls that a model is made of, besides their task. */
export interface From {
  readonly project: string | undefined;
  /** ISO 8601. */
  readonly since: string | undefined;
}

interface Wanted {
  readonly name: string;
  readonly teacher: string;
  readonly target_agreement: number;
  readonly prompt_versions: 'newest' | 'all';
  readonly heads: WantedHead[];
  readonly label: Label | null;
}

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
  const queries = useQueryClient();
  const kept = useKeptForm(`distil ${task.id}`);
  const names = useQuery(modelNames);
  const [label, setLabel] = useState<Wanted['label']>(null);
  const read = (form: HTMLFormElement): void => setLabel(labelIn(new FormData(form)));
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (button.current?.form) read(button.current.form);
  }, []);
  const begin = useMutation({
    mutationFn: async ({ name, teacher, label: texts, ...wanted }: Wanted) => {
      const order = {
        ...{ teacher, task: task.id, ...wanted },
        ...(texts && { label: texts }),
        from: {
          ...(teacher !== task.model && { model: task.model }),
          ...(from.project && { project_id: from.project }),
          ...(from.since && { since: from.since }),
        },
      };
      await body(api.POST('/models/{name}/distil', { params: { path: { name } }, body: order }));
      return name;
    },
    onSuccess: () => kept.forget(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['models'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    begin.mutate({
      ...{ name: textOf(form, 'name').trim(), teacher: form.has('teacher') ? textOf(form, 'teacher') : task.model },
      target_agreement: Number(textOf(form, 'target')),
      prompt_versions: form.has('older') ? 'all' : 'newest',
      heads: changedHeads(task, form),
      label: labelIn(form),
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
          <Input
            label="Name that programs call"
            name="name"
            required
            maxLength={64}
            list="names-to-distil"
            hint="a new one, or one of yours: lower-case letters, digits, . _ -"
          />
          <datalist id="names-to-distil">
            {names.data?.models.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
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
          <Button ref={button} kind="main" type="submit" disabled={begin.isPending || names.isPending}>
            {begin.isPending ? 'Beginning…' : 'Distil a model'}
          </Button>
        </div>
      </form>
      {begin.data !== undefined && (
        <div className="grid gap-3" role="status">
          <p>
            It is being made, which may take minutes: you can close this page.{' '}
            <Link to="/models/$name" params={{ name: begin.data }}>
              {begin.data}
            </Link>{' '}
            shows what became of it.
          </p>
          <Distillations name={begin.data} />
        </div>
      )}
    </>
  );
}

function told(task: Task, target: number): string {
  const share = shareAt(task, target);
  return share === null ? '' : `, answers some ${percent(share)}`;
}
