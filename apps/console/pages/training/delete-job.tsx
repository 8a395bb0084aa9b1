import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Delete } from '../../components/delete.js';
import type { Job } from './live-job.js';

/** Deletes a job for good, and names the models that answer with its weights. */
export function DeleteJob({ job: { id, model_name: name, status } }: { readonly job: Job }): ReactElement {
  const used = useQuery({
    queryKey: ['models', 'made of', id],
    queryFn: async () => {
      const { models } = await body(api.GET('/models', { params: { query: { limit: 100 } } }));
      const found = await Promise.all(
        models.map((each) => body(api.GET('/models/{name}', { params: { path: { name: each.name } } }))),
      );
      return found.flatMap((model) =>
        (model.versions ?? [])
          .filter(({ training_job_id }) => training_job_id === id)
          .map(({ version }) => `${model.name} version ${version}${model.version === version ? ', in use' : ''}`),
      );
    },
    meta: { late: true },
  });
  return (
    <Delete
      what={name}
      of="training-jobs"
      to="/training"
      onDelete={(query) => api.DELETE('/felix/training-jobs/{id}', { params: { path: { id }, query } })}
    >
      <p>
        The job, which is {status}, is gone for good: its weights, its checkpoints, its figures and its logs. Nothing
        restores it; the datasets that it learned from stay.
      </p>
      {used.data && used.data.length > 0 && <p>These versions are made of it: {used.data.join('; ')}.</p>}
    </Delete>
  );
}
