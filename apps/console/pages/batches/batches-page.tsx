import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button, buttonClass } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { counted, number, Time } from '../../components/values.js';
import { NewBatch } from './new-batch.js';

type Batch = Schema['BatchObject'];

const KEY = ['batches'];
const EVERY_MS = 2_000;

const isOpen = ({ status }: Batch): boolean => status === 'in_progress' || status === 'cancelling';

/** Files of requests that are answered in the background. */
export function BatchesPage(): ReactElement {
  const [isMaking, setMaking] = useState(false);
  const batches = useInfiniteQuery({
    queryKey: KEY,
    queryFn: ({ pageParam: after }) =>
      body(api.GET('/v1/batches', { params: { query: { limit: 50, ...(after && { after }) } } })),
    initialPageParam: '',
    getNextPageParam: ({ has_more, last_id }) => (has_more ? last_id : null),
    refetchInterval: ({ state }) => (state.data?.pages.some(({ data }) => data.some(isOpen)) ? EVERY_MS : false),
  });
  const list = batches.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page
      title="Batches"
      intro="Many requests in one file, answered in the background within 24 hours."
      actions={
        <Button kind="main" sends="POST /v1/batches" onClick={() => setMaking(true)}>
          New batch
        </Button>
      }
    >
      <Panel title="Your batches">
        <Problem error={batches.error} retry={() => void batches.refetch()} />
        {batches.isPending && <Loading rows={5} />}
        {batches.isSuccess && list.length === 0 && (
          <Empty>
            No file was sent yet. “New batch” takes one: each of its lines is answered, and the answers come as a file.
          </Empty>
        )}
        {list.length > 0 && <List batches={list} />}
        {batches.hasNextPage && (
          <Button className="mt-3" disabled={batches.isFetchingNextPage} onClick={() => void batches.fetchNextPage()}>
            Earlier batches
          </Button>
        )}
      </Panel>
      <Dialog title="New batch" open={isMaking} onClose={() => setMaking(false)}>
        <NewBatch onStarted={() => setMaking(false)} />
      </Dialog>
    </Page>
  );
}

/** The name of its file, where the console sent it; else its route. */
const titleOf = ({ metadata, endpoint }: Batch): string => metadata?.['file'] ?? endpoint;

function List({ batches }: { readonly batches: readonly Batch[] }): ReactElement {
  const [cancelling, setCancelling] = useState<Batch | null>(null);
  return (
    <>
      <Table
        caption="Batches, newest first"
        rows={batches}
        rowKey={({ id }) => id}
        columns={[
          {
            head: 'Requests',
            cell: (batch) => (
              <span title={batch.id} className="break-all">
                {titleOf(batch)}
              </span>
            ),
            by: titleOf,
          },
          { head: 'Status', cell: ({ status }) => <Status status={status} />, by: ({ status }) => status },
          {
            head: 'Answered',
            cell: (batch) => <Progress of={batch} />,
            by: ({ request_counts: { completed } }) => completed,
          },
          {
            head: 'Began',
            cell: ({ created_at }) => <Time at={new Date(created_at * 1000).toISOString()} />,
            by: ({ created_at }) => created_at,
          },
          {
            head: <span className="sr-only">Do</span>,
            cell: (batch) => (
              <div className="flex flex-wrap gap-2">
                <Permitted sends="GET /v1/files/{id}/content">
                  <File id={batch.output_file_id} what={`Answers of ${titleOf(batch)}`}>
                    Answers
                  </File>
                  <File id={batch.error_file_id} what={`Errors of ${titleOf(batch)}`}>
                    Errors
                  </File>
                </Permitted>
                {batch.status === 'in_progress' && (
                  <Button
                    kind="bad"
                    sends="POST /v1/batches/{id}/cancel"
                    aria-label={`Cancel ${titleOf(batch)}`}
                    onClick={() => setCancelling(batch)}
                  >
                    Cancel
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
      <Cancel batch={cancelling} onClose={() => setCancelling(null)} />
    </>
  );
}

interface FileProps {
  readonly id: string | null;
  /** Names the file to who does not see the row. */
  readonly what: string;
  readonly children: string;
}

const File = ({ id, what, children }: FileProps): ReactElement | null =>
  id === null ? null : (
    <a href={`/v1/files/${id}/content`} download aria-label={what} className={buttonClass()}>
      {children}
    </a>
  );

function Progress({ of: { request_counts: counts, errors } }: { readonly of: Batch }): ReactElement {
  const { total, completed, failed } = counts;
  const share = total === 0 ? 0 : (completed + failed) / total;
  return (
    <div className="grid min-w-40 gap-1">
      <span>
        {number(completed)} of {number(total)}
        {failed > 0 && <span className="text-bad">, {number(failed)} without an answer</span>}
      </span>
      <span className="bar">
        <i style={{ width: `${100 * share}%` }} />
      </span>
      {errors?.data.map(({ line, message }) => (
        <span key={`${line} ${message}`} className="text-sm text-bad">
          {line !== null && `Line ${line}: `}
          {message}
        </span>
      ))}
    </div>
  );
}

function Cancel({ batch, onClose }: { readonly batch: Batch | null; readonly onClose: () => void }): ReactElement {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: (id: string) => body(api.POST('/v1/batches/{id}/cancel', { params: { path: { id } } })),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const { total = 0, completed = 0, failed = 0 } = batch?.request_counts ?? {};
  return (
    <Dialog title={`Cancel ${batch ? titleOf(batch) : ''}?`} open={batch !== null} onClose={onClose}>
      <p>
        {counted(total - completed - failed, 'request')} of {number(total)} are not made any more. The answers so far
        stay, as a file, and so does their price.
      </p>
      <Problem error={cancel.error} />
      <div className="flex flex-wrap gap-2">
        <Button kind="bad" disabled={cancel.isPending} onClick={() => batch && cancel.mutate(batch.id)}>
          Cancel the batch
        </Button>
        <Button onClick={onClose}>Let it run</Button>
      </div>
    </Dialog>
  );
}
