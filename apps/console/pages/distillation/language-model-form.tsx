import { queryOptions, useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Problem } from '../../components/states.js';
import { Begun, NameField, useDistil, type From } from './begin.js';
import type { Task } from './savings.js';
import { TeacherField } from './teacher-field.js';

const learnersQuery = queryOptions({
  queryKey: ['base-models', 'trained decoders'],
  queryFn: () =>
    body(api.GET('/base-models', { params: { query: { task_type: 'decoder', supports_training: true } } })),
  select: ({ models }) => models.map(({ id }) => id),
});

/** Begins a language model of a task with free text as its answers; nothing where none can be trained, which what speaks against it says. */
export function LanguageModelForm({ task, from }: { readonly task: Task; readonly from: From }): ReactElement | null {
  const { data: learners = [] } = useQuery(learnersQuery);
  const kept = useKeptForm(`distil ${task.id} into a language model`);
  const begin = useDistil({ task, from }, kept.forget);
  if (learners.length === 0) return null;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    begin.mutate({ form, base_model: textOf(form, 'base_model') });
  };
  return (
    <>
      <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
        <p>
          A language model can learn these answers as they are. How often it agrees cannot be shown beforehand, so it
          asks nobody: compare it before you use it.
        </p>
        <div className="flex flex-wrap items-start gap-3">
          <NameField />
          <Select label="Language model to train" name="base_model">
            {learners.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </Select>
          <TeacherField model={task.model} />
        </div>
        <Problem error={begin.error} />
        <div>
          <Button kind="main" type="submit" disabled={begin.isPending}>
            {begin.isPending ? 'Beginning…' : 'Train a language model'}
          </Button>
        </div>
      </form>
      <Begun name={begin.data} />
    </>
  );
}
