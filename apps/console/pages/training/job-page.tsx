import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Fragment, lazy, Suspense, useState, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button, buttonClass } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Loaded, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Tabs, type Tab } from '../../components/tabs.js';
import { Figure, percent, Time } from '../../components/values.js';
import { Checkpoints } from './checkpoints.js';
import { CrossValidation } from './cross-validation.js';
import { Again } from './again.js';
import { DeleteJob } from './delete-job.js';
import { Deploy } from './deploy.js';
import { Downloads } from './downloads.js';
import { Confidences, PerLabel } from './figures.js';
import { useLiveJob, type Job } from './live-job.js';
import { Logs } from './logs.js';
import { Measured } from './measured.js';
import { Mistakes } from './mistakes.js';
import { Outcome } from './outcome.js';
import { PARAMETERS } from './parameters.js';

const LearningCurve = lazy(async () => ({ default: (await import('./learning-curve.js')).LearningCurve }));

/** The page of a job: its progress and learning curves; once complete, its figures and mistakes. */
export function JobPage(): ReactElement {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const job = useLiveJob(id);
  const isComplete = job.data?.normalized_status === 'complete';
  return (
    <Page
      shape="thing"
      title={job.data?.model_name ?? 'Training job'}
      of={['Training', '/training']}
      state={job.data && <Status status={job.data.status} />}
      intro={<code className="break-all">{id}</code>}
      actions={
        <>
          {job.data?.is_terminal_status === false && <Stop id={id} />}
          {isComplete && job.data && (
            <>
              <Permitted sends="POST /inference">
                <a className={buttonClass('main')} href={`/console/playground?model=${id}`}>
                  Try it
                </a>
              </Permitted>
              <Permitted sends="POST /models/{name}/versions">
                <Deploy job={job.data} />
              </Permitted>
            </>
          )}
          {job.data?.is_terminal_status && (
            <Permitted sends="POST /felix/training-jobs">
              <Again job={job.data} />
            </Permitted>
          )}
          {job.data && (
            <Permitted sends="DELETE /felix/training-jobs/{id}">
              <DeleteJob job={job.data} />
            </Permitted>
          )}
        </>
      }
    >
      <Loaded query={job} rows={10}>
        {(record) => (
          <>
            <Outcome job={record} />
            <Tabs tabs={tabsOf(record)} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** What a job has to show: once it is complete, its figures, mistakes and files as well. */
function tabsOf(job: Job): readonly Tab[] {
  const isComplete = job.normalized_status === 'complete';
  const overview = (
    <>
      <Progress job={job} />
      {(job.learning_curve ?? []).length > 0 && (
        <Panel title="Loss and F1, by step">
          <Suspense fallback={<div className="h-72" />}>
            <LearningCurve points={job.learning_curve ?? []} />
          </Suspense>
        </Panel>
      )}
      {isComplete ? <Measured jobId={job.id} /> : <Checkpoints job={job} />}
    </>
  );
  const labels = Object.keys(job.metrics?.per_entity ?? {}).length;
  const complete: readonly Tab[] = [
    ...(labels > 0 ? [{ name: 'labels', title: 'Labels', count: labels, content: <Labels job={job} /> }] : []),
    { name: 'mistakes', title: 'Mistakes', content: <Wrong job={job} /> },
    { name: 'files', title: 'Files', content: <Files job={job} /> },
  ];
  return [
    { name: 'overview', title: 'Overview', content: overview },
    ...(isComplete ? complete : []),
    { name: 'settings', title: 'Settings', content: <Settings job={job} /> },
    { name: 'log', title: 'Log', content: <Logs job={job} /> },
  ];
}

const Labels = ({ job }: { readonly job: Job }): ReactElement => (
  <>
    <PerLabel job={job} />
    <Confidences job={job} />
  </>
);

const Wrong = ({ job }: { readonly job: Job }): ReactElement => (
  <>
    <Mistakes jobId={job.id} />
    {job.task_type !== 'decoder' && <CrossValidation jobId={job.id} />}
  </>
);

const Files = ({ job }: { readonly job: Job }): ReactElement => (
  <>
    <Downloads job={job} />
    <Checkpoints job={job} />
  </>
);

const Settings = ({ job }: { readonly job: Job }): ReactElement => (
  <Panel title="Settings">
    <dl className="kv">
      {PARAMETERS.map(({ name, of }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{of(job)}</dd>
        </Fragment>
      ))}
    </dl>
  </Panel>
);

const Progress = ({ job }: { readonly job: Job }): ReactElement => (
  <>
    {!job.is_terminal_status && (
      <progress className="w-full" max={100} value={job.progress_percent} aria-label="Percent done" />
    )}
    <dl className="metrics">
      <Figure label="Epoch" value={`${job.current_epoch} of ${job.nr_epochs}`} />
      <Figure
        label="F1"
        value={typeof job.metrics?.f1 === 'number' ? percent(job.metrics.f1) : '–'}
        note="of held-out rows"
      />
      <Figure
        label="Datasets"
        value={job.datasets
          .map(({ name, version, held_out }) => `${name}/${version}${held_out ? ' (held out)' : ''}`)
          .join(', ')}
      />
      <Figure label="Seed" value={String(job.seed)} note="the same seed gives the same file" />
    </dl>
    <p className="text-sm text-muted">
      Requested <Time at={job.created_at} />
      {job.completed_at && (
        <>
          , ended <Time at={job.completed_at} />
        </>
      )}
      ; {job.training_type}, from {job.base_model}.
    </p>
  </>
);

function Stop({ id }: { readonly id: string }): ReactElement {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const stop = useMutation({
    mutationFn: () => body(api.POST('/felix/training-jobs/{id}/stop', { params: { path: { id } } })),
    onSuccess: async () => {
      setAsking(false);
      await queries.invalidateQueries({ queryKey: ['training-jobs'] });
    },
  });
  return (
    <>
      <Button kind="bad" sends="POST /felix/training-jobs/{id}/stop" onClick={() => setAsking(true)}>
        Stop
      </Button>
      <Dialog title="Stop this job?" open={asking} onClose={() => setAsking(false)}>
        <p>It ends at once. Its checkpoints stay: another job can go on from one of them.</p>
        <Problem error={stop.error} />
        <div className="flex gap-2">
          <Button kind="bad" disabled={stop.isPending} onClick={() => stop.mutate()}>
            Stop it
          </Button>
          <Button onClick={() => setAsking(false)}>Let it run</Button>
        </div>
      </Dialog>
    </>
  );
}
