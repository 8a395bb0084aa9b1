import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Empty, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { trainedTitle } from '../../components/trained-title.js';
import { Table } from '../../components/table.js';
import { percent, Time } from '../../components/values.js';
import { Change, type ChangeOf } from './change.js';
import { waitingOf } from './standing.js';

type Model = Schema['NamedModelRecord'];

/** The versions of a name, which of them answers, and which are tried beside it. */
export function Versions({ model }: { readonly model: Model }): ReactElement {
  const [change, setChange] = useState<ChangeOf | null>(null);
  const versions = model.versions ?? [];
  const waiting = waitingOf(model)?.version;
  const { shadow_agreement: agreement } = model;
  return (
    <Panel
      title="Versions"
      actions={
        <>
          {model.traffic && (
            <Button sends="PUT /models/{name}/traffic" onClick={() => setChange({ kind: 'no traffic' })}>
              Stop sharing traffic
            </Button>
          )}
          {model.shadow_version && (
            <Button sends="PUT /models/{name}/shadow" onClick={() => setChange({ kind: 'no shadow' })}>
              Stop the shadow
            </Button>
          )}
          {(model.promotions ?? []).length > 1 && (
            <Button sends="POST /models/{name}/rollback" onClick={() => setChange({ kind: 'roll back' })}>
              Roll back
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-4">
        {versions.length === 0 ? (
          <Empty>There is no version yet. Add a trained model below.</Empty>
        ) : (
          <Table
            caption={`Versions of ${model.name}`}
            name="model versions"
            rows={versions}
            rowKey={({ version }) => String(version)}
            columns={[
              { head: 'Version', cell: ({ version }) => version },
              { head: 'Status', cell: ({ version, labels }) => <Status status={roleOf(model, version, labels)} /> },
              {
                head: 'Made by',
                cell: ({ training_job_id: job, model_id }) =>
                  job ? <a href={`/console/training/${job}`}>training job {job.slice(0, 8)}</a> : model_id,
              },
              { head: 'Added', cell: ({ added_at }) => <Time at={added_at} /> },
              {
                head: <span className="sr-only">Change</span>,
                cell: ({ version }) => (
                  <div className="flex flex-wrap justify-end gap-2">
                    {version !== model.version && (
                      <>
                        {version !== waiting && (
                          <Button
                            sends="PUT /models/{name}/versions/{n}/promote"
                            aria-label={`Promote version ${version}`}
                            onClick={() => setChange({ kind: 'promote', version })}
                          >
                            Promote
                          </Button>
                        )}
                        <Button
                          sends="PUT /models/{name}/traffic"
                          aria-label={`Share traffic with version ${version}`}
                          onClick={() => setChange({ kind: 'traffic', version })}
                        >
                          Share traffic
                        </Button>
                        <Button
                          sends="PUT /models/{name}/shadow"
                          aria-label={`Shadow with version ${version}`}
                          onClick={() => setChange({ kind: 'shadow', version })}
                        >
                          Shadow
                        </Button>
                      </>
                    )}
                    <Button
                      sends="PUT /models/{name}/labels/{label}"
                      aria-label={`Give version ${version} a label`}
                      onClick={() => setChange({ kind: 'label', version })}
                    >
                      Label
                    </Button>
                  </div>
                ),
              },
            ]}
          />
        )}
        {agreement && (
          <p className="text-sm text-muted">
            The shadow answered {agreement.compared} calls,{' '}
            {agreement.share === null ? 'none' : percent(agreement.share)} of them like the version in use.
          </p>
        )}
        <Permitted sends="POST /models/{name}/versions">
          <AddVersion name={model.name} />
        </Permitted>
      </div>
      <Change name={model.name} change={change} onClose={() => setChange(null)} />
    </Panel>
  );
}

function roleOf(
  { version: inUse, traffic, shadow_version }: Model,
  version: number,
  labels: readonly string[],
): string {
  const roles = [
    version === inUse && 'in use',
    traffic?.version === version && `for ${traffic.percent}% of callers`,
    shadow_version === version && 'shadow',
    ...labels,
  ].filter(Boolean);
  return roles.join(', ') || 'not in use';
}

function AddVersion({ name }: { readonly name: string }): ReactElement {
  const queries = useQueryClient();
  const jobs = useQuery({
    queryKey: ['training-jobs', 'trained'],
    queryFn: () => body(api.GET('/felix/training-jobs', { params: { query: { limit: 100 } } })),
  });
  const add = useMutation({
    mutationFn: (job: string) =>
      body(api.POST('/models/{name}/versions', { params: { path: { name } }, body: { training_job_id: job } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['models'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    add.mutate(textOf(new FormData(event.currentTarget), 'job'));
  };
  const trained = (jobs.data?.training_jobs ?? []).filter(({ normalized_status }) => normalized_status === 'complete');
  return (
    <form onSubmit={submit} className="grid gap-2">
      <div className="flex flex-wrap items-end gap-3">
        <Select label="Add a trained model" name="job" required disabled={trained.length === 0}>
          {trained.map((job) => (
            <option key={job.id} value={job.id}>
              {trainedTitle(job)}
            </option>
          ))}
        </Select>
        <Button type="submit" disabled={add.isPending || trained.length === 0}>
          Add as version
        </Button>
      </div>
      <Problem error={add.error ?? jobs.error} />
    </form>
  );
}
