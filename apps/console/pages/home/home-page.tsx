import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { useMay } from '../../api/permitted.js';
import { lastCall, newestJobs, partQuery } from '../../api/queries.js';
import { Page } from '../../components/page.js';
import { Empty, Loaded, Loading, Problem } from '../../components/states.js';
import { InUse } from './in-use.js';
import { Running } from './running.js';
import { useWaits, type Waits } from './use-waits.js';
import { FirstWait, Waiting } from './waiting.js';
import { Saved } from './saved.js';
import { Week } from './week.js';

/** Running jobs, work that waits for a person, and the last week; in an empty workspace, the first three steps. */
export function HomePage(): ReactElement {
  const jobs = useQuery({
    ...newestJobs,
    refetchInterval: ({ state }) => (state.data?.training_jobs.some((job) => !job.is_terminal_status) ? 2_000 : 30_000),
  });
  const calls = useQuery(lastCall);
  // Asked for with the others, not once they have come: what waits is what the page says first.
  const waiting = useWaits(jobs.data?.training_jobs ?? []);
  return (
    <Page title="Home" shape="columns">
      <Problem error={calls.error ?? jobs.error} retry={() => void Promise.all([calls.refetch(), jobs.refetch()])} />
      {calls.data && jobs.data ? (
        calls.data.inferences.length > 0 ? (
          <Overview waiting={waiting} />
        ) : (
          <Begin jobs={jobs.data.training_jobs} />
        )
      ) : (
        (calls.isPending || jobs.isPending) && <Loading rows={8} />
      )}
    </Page>
  );
}

function Begin({ jobs }: { readonly jobs: readonly Schema['TrainingJobRecord'][] }): ReactElement {
  const mayTrain = useMay()('POST /felix/training-jobs');
  const steps = useQuery({ ...partQuery('first steps', () => import('./first-steps.js')), enabled: mayTrain });
  return mayTrain ? (
    <Loaded query={steps} rows={8}>
      {({ FirstSteps }) => <FirstSteps jobs={jobs} />}
    </Loaded>
  ) : (
    <Empty>Nobody has called a model here yet. What is trained and called shows here.</Empty>
  );
}

/** First what waits, then how the models in use do. */
function Overview({ waiting: { waits, isPending, error, retry } }: { readonly waiting: Waits }): ReactElement {
  return (
    <>
      <Problem error={error} retry={retry} />
      {!isPending && <FirstWait waits={waits} />}
      <div className="columns">
        <div>
          <Saved />
          <Week />
          <InUse />
        </div>
        <div>
          <Waiting waits={waits} />
          <Running />
        </div>
      </div>
    </>
  );
}
