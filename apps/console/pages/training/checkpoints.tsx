import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { buttonClass } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Empty, Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { number, percent, Time } from '../../components/values.js';
import type { Job } from './live-job.js';

/** The kept weights of the training: another job can continue from each. */
export function Checkpoints({ job }: { readonly job: Job }): ReactElement {
  const { id } = job;
  const checkpoints = useQuery({
    queryKey: ['training-jobs', id, 'checkpoints', job.current_epoch, job.status],
    queryFn: () => body(api.GET('/felix/training-jobs/{id}/checkpoints', { params: { path: { id } } })),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title="Checkpoints">
      <Loaded query={checkpoints}>
        {({ checkpoints: list }) =>
          list.length === 0 ? (
            <Empty>None was kept yet: one comes with each epoch that is done.</Empty>
          ) : (
            <Table
              caption="Checkpoints, by step"
              rows={list}
              rowKey={(checkpoint) => checkpoint.id}
              columns={[
                { head: 'Epoch', number: true, cell: ({ epoch }) => number(epoch), by: ({ epoch }) => epoch },
                { head: 'Step', number: true, cell: ({ step }) => number(step), by: ({ step }) => step },
                {
                  head: 'Training loss',
                  number: true,
                  cell: ({ training_loss }) => number(training_loss),
                  by: ({ training_loss }) => training_loss,
                },
                { head: 'F1', number: true, cell: ({ f1 }) => (f1 === null ? '–' : percent(f1)), by: ({ f1 }) => f1 },
                { head: 'Is', cell: ({ is_best }) => (is_best ? <Status status="best" /> : '–') },
                { head: 'Kept', cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  head: <span className="sr-only">Resume</span>,
                  cell: (checkpoint) => (
                    <Permitted sends="POST /felix/training-jobs">
                      <Link
                        to="/training/new"
                        search={{ base: checkpoint.id, dataset: job.datasets[0]?.name, name: job.model_name }}
                        className={buttonClass()}
                        aria-label={`Resume from here: after step ${checkpoint.step}`}
                      >
                        Resume from here
                      </Link>
                    </Permitted>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
