import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Empty } from '../../components/states.js';
import { Status } from '../../components/status.js';

export function Running({ jobs }: { readonly jobs: readonly Schema['TrainingJobRecord'][] }): ReactElement {
  const running = jobs.filter(({ is_terminal_status }) => !is_terminal_status);
  return (
    <Panel title="Running">
      {running.length === 0 ? (
        <Empty>Nothing is being trained.</Empty>
      ) : (
        <ul className="grid gap-3">
          {running.map((job) => (
            <li key={job.id} className="grid gap-1">
              <div className="flex flex-wrap justify-between gap-2">
                <a href={`/console/training/${job.id}`}>{job.model_name}</a>
                <Status status={job.status} />
              </div>
              <progress
                className="h-2 w-full accent-accent"
                max={100}
                value={job.progress_percent}
                aria-label={`${job.model_name}: percent done`}
              />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
