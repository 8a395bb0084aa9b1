import type { ReactElement } from 'react';
import { Headline } from '../../components/headline.js';
import { counted, duration, percent } from '../../components/values.js';
import { useAutomaticEvaluation } from './evaluation.js';
import type { Job } from './live-job.js';

/** Labels that are named as the weakest. */
const NAMED = 3;
/** Fewer judged rows say little about other texts. */
const FEW_ROWS = 100;

/** What came of a training, in one sentence. */
export function Outcome({ job }: { readonly job: Job }): ReactElement {
  const { metrics, model_name: name } = job;
  const f1 = useAutomaticEvaluation(job.id, job.normalized_status === 'complete').data?.metrics?.intervals?.f1;
  if (job.status === 'failed')
    return (
      <Headline kind="bad" then={job.error_message}>
        <b>{name}</b> failed to train.
      </Headline>
    );
  if (!job.is_terminal_status)
    return (
      <Headline kind="info" then="You can close this page: the training goes on, and Home shows it.">
        <b>{name}</b> is {job.status}: <b>{job.progress_percent}%</b> is done.
      </Headline>
    );
  if (typeof metrics?.f1 !== 'number')
    return (
      <Headline kind="info">
        <b>{name}</b> is {job.status}.
      </Headline>
    );
  const rows = metrics.judged_rows;
  const isFew = rows !== null && rows < FEW_ROWS;
  const weakest = Object.entries(metrics.per_entity)
    .filter(([, { f1, support }]) => support > 0 && f1 < 1)
    .toSorted(([, a], [, b]) => a.f1 - b.f1)
    .slice(0, NAMED)
    .map(([label, { f1 }]) => `${label} ${percent(f1)}`);
  return (
    <Headline
      kind={isFew ? 'warn' : 'good'}
      then={
        <>
          {weakest.length > 0 && `Weakest: ${weakest.join(', ')}. `}
          {isFew && `${counted(rows, 'row')} say little about other texts: judge it on rows written separately. `}
          {job.completed_at && `Trained in ${duration(Date.parse(job.completed_at) - Date.parse(job.created_at))}.`}
        </>
      }
    >
      <b>{name}</b> has an F1 of <b>{percent(metrics.f1)}</b>
      {rows !== null && ` on ${counted(rows, 'held-out row')}`}
      {f1 && `, between ${percent(f1.low)} and ${percent(f1.high)} with 95% confidence`}.
    </Headline>
  );
}
