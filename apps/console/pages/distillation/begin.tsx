import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { modelNames } from '../../api/queries.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Distillations } from './distillations.js';
import type { Task } from './savings.js';

/** The calls that a model is made of, besides their task. */
export interface From {
  readonly project: string | undefined;
  /** ISO 8601. */
  readonly since: string | undefined;
}

type Wanted = Omit<Schema['DistilBody'], 'teacher' | 'task' | 'from'> & {
  /** With `NameField`, and perhaps `TeacherField`. */
  readonly form: FormData;
};

/** Begins a model that answers the calls of a task. Its data are the name. */
export function useDistil({ task, from }: { readonly task: Task; readonly from: From }, onBegun: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ form, ...wanted }: Wanted) => {
      const name = textOf(form, 'name').trim();
      const teacher = form.has('teacher') ? textOf(form, 'teacher') : task.model;
      const order = {
        ...{ teacher, task: task.id, ...wanted },
        from: {
          ...(teacher !== task.model && { model: task.model }),
          ...(from.project && { project_id: from.project }),
          ...(from.since && { since: from.since }),
        },
      };
      await body(api.POST('/models/{name}/distil', { params: { path: { name } }, body: order }));
      return name;
    },
    onSuccess: onBegun,
    onSettled: () => queries.invalidateQueries({ queryKey: ['models'] }),
  });
}

export function NameField(): ReactElement {
  const { data } = useQuery(modelNames);
  return (
    <>
      <Input
        label="Name that programs call"
        name="name"
        required
        maxLength={64}
        list="names-to-distil"
        hint="a new one, or one of yours: lower-case letters, digits, . _ -"
      />
      <datalist id="names-to-distil">
        {data?.models.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** Says that a model is being made, and lists the distillations of its name. @param name undefined: none was begun */
export const Begun = ({ name }: { readonly name: string | undefined }): ReactElement | null =>
  name === undefined ? null : (
    <div className="grid gap-3" role="status">
      <p>
        It is being made, which may take minutes: you can close this page.{' '}
        <Link to="/models/$name" params={{ name }}>
          {name}
        </Link>{' '}
        shows what became of it.
      </p>
      <Distillations name={name} />
    </div>
  );
