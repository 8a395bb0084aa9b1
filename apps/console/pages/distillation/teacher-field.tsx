import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Select } from '../../components/field.js';

/** Models that generate text here. */
export const teachersQuery = queryOptions({
  queryKey: ['base-models', 'generating'],
  queryFn: () => body(api.GET('/base-models', { params: { query: { supports_inference: true } } })),
  select: ({ models }) => models.filter(({ task_type: type }) => type === 'decoder').map(({ id }) => id),
});

/** Who is asked where the small model is not sure: asked for only if the model of the calls is none here, as imported ones may have it. */
export function TeacherField({ model }: { readonly model: string }): ReactElement | null {
  const { data: teachers } = useQuery(teachersQuery);
  if (!teachers || teachers.includes(model)) return null;
  return (
    <Select
      label="Asked where it is not sure"
      name="teacher"
      required
      hint={
        teachers.length === 0
          ? `there is no model here that generates text, and ${model} is none of yours`
          : `${model} is no model here`
      }
    >
      {teachers.map((id) => (
        <option key={id}>{id}</option>
      ))}
    </Select>
  );
}
