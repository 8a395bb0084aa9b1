import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { ownAddress } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { Copy } from '../../components/copy.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { bytes } from '../../components/values.js';
import type { Job } from './live-job.js';

type Export = Schema['ModelExport'];
type Format = Export['format'];

/** Formats that other programs load. */
const OF_DECODERS: readonly Format[] = ['adapter', 'merged', 'gguf', 'gguf-q8_0'];
const OF_ENCODERS: readonly Format[] = ['onnx'];
/** Models on built-in bases are not exported. */
const BUILT_IN = /^anneal\//;
const OPEN: ReadonlySet<string> = new Set(['queued', 'running']);

/** The model as files: its stored weights, and exports that other programs load. */
export function Downloads({ job: { id, task_type, base_model } }: { readonly job: Job }): ReactElement {
  const formats = task_type === 'decoder' ? OF_DECODERS : BUILT_IN.test(base_model) ? [] : OF_ENCODERS;
  const download = useMutation({ mutationFn: (format?: Format) => fetchFile(id, format) });
  return (
    <Panel
      title="Take it along"
      actions={
        <Button
          sends="GET /felix/training-jobs/{id}/download"
          disabled={download.isPending}
          onClick={() => download.mutate(undefined)}
        >
          Download the weights
        </Button>
      }
    >
      <div className="grid gap-3">
        <Problem error={download.error} />
        <p>The id of the job is a model id:</p>
        <Copy text={id} label="Model id" />
        {formats.length > 0 && <Exports {...{ id, formats }} onDownload={(format) => download.mutate(format)} />}
      </div>
    </Panel>
  );
}

function Exports({
  id,
  formats,
  onDownload,
}: {
  readonly id: string;
  readonly formats: readonly Format[];
  readonly onDownload: (format: Format) => void;
}): ReactElement {
  const queries = useQueryClient();
  const key = ['training-jobs', id, 'exports'];
  const exports = useQuery({
    queryKey: key,
    queryFn: () => body(api.GET('/felix/training-jobs/{id}/exports', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.exports.some(({ status }) => OPEN.has(status)) ? 2_000 : false),
  });
  const make = useMutation({
    mutationFn: (format: Format) =>
      body(api.PUT('/felix/training-jobs/{id}/exports/{format}', { params: { path: { id, format } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
  const made = new Map(exports.data?.exports.map((each) => [each.format, each]));
  return (
    <>
      <Problem error={exports.error ?? make.error} />
      <Table
        caption="Exports for other programs"
        rows={formats}
        rowKey={(format) => format}
        columns={[
          { head: 'Export', cell: (format) => <code>{format}</code> },
          { head: 'State', cell: (format) => <State made={made.get(format)} /> },
          {
            head: <span className="sr-only">Do</span>,
            cell: (format) => {
              const { status = 'failed' } = made.get(format) ?? {};
              return status === 'complete' ? (
                <Button
                  sends="GET /felix/training-jobs/{id}/download"
                  aria-label={`Download ${format}`}
                  onClick={() => onDownload(format)}
                >
                  Download
                </Button>
              ) : (
                <Button
                  sends="PUT /felix/training-jobs/{id}/exports/{format}"
                  aria-label={`Export ${format}`}
                  disabled={OPEN.has(status) || make.isPending}
                  onClick={() => make.mutate(format)}
                >
                  Export
                </Button>
              );
            },
          },
        ]}
      />
    </>
  );
}

const State = ({ made }: { readonly made: Export | undefined }): ReactElement =>
  made === undefined ? (
    <>not made</>
  ) : (
    <div className="grid gap-1">
      <Status status={made.status} />
      {made.status === 'running' && `${made.progress_percent}%`}
      {made.size_bytes !== null && bytes(made.size_bytes)}
      <Problem error={made.error_message === null ? null : new Error(made.error_message)} />
      {made.waiting_reason}
    </div>
  );

/** The address is signed, so that the browser can save the file. */
async function fetchFile(id: string, format: Format | undefined): Promise<void> {
  const { download_url, file_name } = await body(
    api.GET('/felix/training-jobs/{id}/download', { params: { path: { id }, query: format ? { format } : {} } }),
  );
  const link = document.createElement('a');
  link.href = ownAddress(download_url);
  link.download = file_name;
  link.click();
}
