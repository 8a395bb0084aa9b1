import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { buttonClass } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Empty, Loaded } from '../../components/states.js';
import { Shortened } from '../../components/table.js';
import { Time } from '../../components/values.js';
import type { Job } from './live-job.js';

/** The route returns the oldest first: of a long log, the last lines are requested by number. */
const SHOWN = 200;

/** The job's log. */
export function Logs({ job }: { readonly job: Job }): ReactElement {
  const { id } = job;
  const logs = useQuery({
    queryKey: ['training-jobs', id, 'logs', job.current_epoch, job.status],
    queryFn: async () => {
      const read = (query: { limit: number; after?: number }) =>
        body(api.GET('/felix/training-jobs/{id}/logs', { params: { path: { id }, query } }));
      const { total_logs: total } = await read({ limit: 1 });
      return read({ limit: SHOWN, after: Math.max(0, total - SHOWN) });
    },
    placeholderData: (before) => before,
    refetchInterval: job.is_terminal_status ? false : 3_000,
  });
  return (
    <Panel
      title="Log"
      actions={
        <Permitted sends="GET /events">
          <a className={buttonClass()} href={`/console/log?stream=job-${id}`}>
            Events
          </a>
        </Permitted>
      }
    >
      <Loaded query={logs}>
        {({ logs: lines, total_logs }) =>
          lines.length === 0 ? (
            <Empty>Nothing was said yet.</Empty>
          ) : (
            <div className="grid gap-2">
              <ol tabIndex={0} aria-label="Lines of the log, oldest first" className="code grid max-h-80 gap-0.5">
                {lines.map((line) => (
                  <li key={line.id} className="grid gap-x-3 sm:grid-cols-[12rem_1fr]">
                    <span className="text-muted">
                      <Time at={line.timestamp} seconds />
                    </span>
                    <span className={` ${COLOURS[line.level] ?? ''}`}>
                      {line.level !== 'info' && `${line.level}: `}
                      {line.message}
                    </span>
                  </li>
                ))}
              </ol>
              <Shortened shown={lines.length} total={total_logs} which="newest" />
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

const COLOURS: Readonly<Record<string, string>> = { warn: 'text-warn', error: 'text-bad' };
