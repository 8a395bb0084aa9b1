import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, ApiError, body } from '../../api/client.js';
import { useMay, type Route } from '../../api/permitted.js';
import { modelNames } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Problem } from '../../components/states.js';
import { toast } from '../../components/toast.js';
import { DONE, PercentField, ReasonField, requestChange } from '../models/change.js';
import type { Job } from './live-job.js';

/** What a version does once it has a name. */
const WAYS: readonly {
  readonly way: Way;
  readonly title: string;
  readonly sends: Route;
}[] = [
  { way: 'promote', title: 'answers all calls', sends: 'PUT /models/{name}/versions/{n}/promote' },
  { way: 'traffic', title: 'answers a share of the callers', sends: 'PUT /models/{name}/traffic' },
  { way: 'shadow', title: 'answers each call once more, unseen', sends: 'PUT /models/{name}/shadow' },
  { way: 'wait', title: 'waits', sends: 'POST /models/{name}/versions' },
];

type Way = 'promote' | 'traffic' | 'shadow' | 'wait';

/** Gives a job's model a name that programs call, and says what it does there. */
export function Deploy({ job }: { readonly job: Job }): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Deploy</Button>
      <Dialog title={`Deploy ${job.model_name}`} open={open} onClose={() => setOpen(false)}>
        <Form job={job} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function Form({ job, onClose }: { readonly job: Job; readonly onClose: () => void }): ReactElement {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const may = useMay();
  const kept = useKeptForm(`deploy ${job.id}`);
  const names = useQuery(modelNames);
  const ways = WAYS.filter(({ sends }) => may(sends));
  const [way, setWay] = useState<Way>(ways[0]?.way ?? 'wait');
  const deploy = useMutation({
    mutationFn: async (form: FormData) => {
      const name = textOf(form, 'name');
      // Without it the change is refused, and only the version would be there.
      if (way !== 'wait' && textOf(form, 'reason') === '') throw new Error('Give a reason for the change.');
      const version = await versionOf(name, job.id);
      if (way !== 'wait') await requestChange(name, { kind: way, version }, form);
      return { name, version };
    },
    onSuccess: async ({ name, version }) => {
      kept.forget();
      toast(way === 'wait' ? `Version ${version} of ${name} waits.` : DONE[way](name, version));
      await queries.invalidateQueries({ queryKey: ['models'] });
      await navigate({ to: '/models/$name', params: { name } });
    },
    onError: () => queries.invalidateQueries({ queryKey: ['proposals'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    deploy.mutate(new FormData(event.currentTarget));
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <Input
        label="Name that programs call"
        name="name"
        required
        maxLength={64}
        defaultValue={job.named_model ?? ''}
        options={(names.data?.models ?? []).map((each) => [each.name, each.description ?? 'a name in use'])}
        hint="One that is there gets a further version. Lower-case letters, digits, . _ -"
      />
      <Select
        label="There, the model"
        value={way}
        onChange={({ target }) => setWay(target.value as Way)}
        hint={way === 'wait' ? 'The version in use goes on answering.' : ''}
      >
        {ways.map(({ way: each, title }) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </Select>
      {way === 'traffic' && <PercentField />}
      {way !== 'wait' && <ReasonField />}
      <Problem error={deploy.error} />
      <div className="flex gap-2">
        <Button kind="main" type="submit" disabled={deploy.isPending}>
          Deploy
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

/** The version of a name that a job made; it is added, and the name created, where they are not there yet. */
async function versionOf(name: string, jobId: string): Promise<number> {
  const path = { name };
  const { models } = await body(api.GET('/models', { params: { query: { limit: 100 } } }));
  if (!models.some((each) => each.name === name))
    await body(api.POST('/models', { body: { name } })).catch((error: unknown) => {
      // A name beyond the first hundred.
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    });
  const { versions } = await body(api.GET('/models/{name}', { params: { path } }));
  const known = versions?.find(({ training_job_id: id }) => id === jobId);
  if (known) return known.version;
  const added = await body(api.POST('/models/{name}/versions', { params: { path }, body: { training_job_id: jobId } }));
  return added.versions?.find(({ training_job_id: id }) => id === jobId)?.version ?? 1;
}
