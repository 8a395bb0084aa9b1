import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { newestDatasets } from '../../api/queries.js';
import { queryClient } from '../../api/query-client.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { SETTLED } from '../datasets/settled.js';

interface Work {
  readonly key: string;
  readonly what: string;
  readonly name: string;
  readonly href: string;
  readonly status: string;
  /** 0 to 100; absent if unknown. */
  readonly percent?: number;
}

const LOOKED_AT = 50;

/** All that the system works at: trainings, evaluations, improvements, and datasets that are read, made, merged or pulled. */
export function Running(): ReactElement {
  const running = useQuery({
    queryKey: ['running'],
    queryFn: findRunning,
    refetchInterval: ({ state }) => ((state.data ?? []).length > 0 ? 2_000 : 10_000),
  });
  return (
    <Panel title="Running">
      <Loaded query={running}>
        {(list) =>
          list.length === 0 ? (
            <Empty>Nothing is running.</Empty>
          ) : (
            <ul className="grid gap-3">
              {list.map(({ key, what, name, href, status, percent }) => (
                <li key={key} className="grid gap-1">
                  <div className="flex flex-wrap justify-between gap-2">
                    <span>
                      {what} <a href={href}>{name}</a>
                    </span>
                    <Status status={status} />
                  </div>
                  {percent !== undefined && (
                    <progress
                      className="w-full"
                      max={100}
                      value={percent}
                      aria-label={`${what} ${name}: percent done`}
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

async function findRunning(): Promise<readonly Work[]> {
  const limit = LOOKED_AT;
  const jobs = (['running', 'requested'] as const).map(async (status) => {
    const { training_jobs } = await body(api.GET('/felix/training-jobs', { params: { query: { status, limit } } }));
    return training_jobs.map((job): Work => ({
      ...{ key: job.id, what: 'Training of', name: job.model_name, href: `/console/training/${job.id}` },
      ...{ status: job.status, percent: job.progress_percent },
    }));
  });
  const evaluations = (['running', 'queued'] as const).map(async (status) => {
    const { evaluations: found } = await body(api.GET('/felix/evaluations', { params: { query: { status, limit } } }));
    return found.map((each): Work => ({
      ...{ key: each.id, what: 'Evaluation on', name: each.dataset_name, status: each.status },
      href: each.training_job_id
        ? `/console/training/${each.training_job_id}`
        : datasetAddress(each.dataset_name, each.version_number),
    }));
  });
  const datasets = queryClient.fetchQuery({ ...newestDatasets, staleTime: 1_000 }).then(({ datasets: found }) =>
    found
      .filter(({ status }) => !SETTLED.has(status))
      .map((each): Work => ({
        ...{ key: each.id, what: 'Dataset', name: `${each.name} ${each.version_number}`, status: each.status },
        href: datasetAddress(each.name, each.version_number),
      })),
  );
  const improvements = body(api.GET('/improvements', { params: { query: { status: 'open', limit } } })).then(
    ({ improvements: found }) =>
      found.map((each): Work => ({
        ...{ key: each.id, what: 'Improvement of', name: each.model, status: each.status },
        href: `/console/models/${each.model}`,
      })),
  );
  return (await Promise.all([...jobs, improvements, ...evaluations, datasets])).flat();
}

const datasetAddress = (name: string, version: string): string =>
  `/console/datasets/${encodeURIComponent(name)}/${version}`;
