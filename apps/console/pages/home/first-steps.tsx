import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import sample from '../../../../examples/support-tickets.jsonl?url';
import { api, body, fetchAnswer, type Schema } from '../../api/client.js';
import { uploadDataset } from '../../api/upload.js';
import { Button, buttonClass } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { number, percent } from '../../components/values.js';
import { Ask } from './ask.js';

const NAME = 'tickets';

/** Sample data, a training, a call: each step really does it. */
export function FirstSteps({ jobs }: { readonly jobs: readonly Schema['TrainingJobRecord'][] }): ReactElement {
  const queries = useQueryClient();
  const datasets = useQuery({
    queryKey: ['datasets', 'home'],
    queryFn: () => body(api.GET('/felix/datasets', { params: { query: { limit: 20 } } })),
    refetchInterval: 2_000,
  });
  const upload = useMutation({
    mutationFn: async () => uploadDataset(NAME, 'support-tickets.jsonl', await (await fetchAnswer(sample)).blob()),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['datasets'] }),
  });
  const listed = datasets.data?.datasets ?? [];
  const ready = listed.find(({ status }) => status === 'ready');
  const train = useMutation({
    mutationFn: (dataset: string) =>
      body(
        api.POST('/felix/training-jobs', {
          body: { model_name: dataset, base_model: 'anneal/encoder-base-v1', datasets: [{ name: dataset }] },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['training-jobs'] }),
  });
  const [job] = jobs;
  const done = jobs.find(({ normalized_status }) => normalized_status === 'complete');
  return (
    <Panel title="Three steps to your first model">
      <ol className="grid gap-4">
        <Step title="1. Upload examples" status={listed[0]?.status}>
          <p>Texts with the right answers. A sample has 700 support tickets with people, order numbers and topics.</p>
          <div className="flex flex-wrap gap-2">
            <Button
              kind={ready ? 'plain' : 'main'}
              disabled={upload.isPending || ready !== undefined}
              onClick={() => upload.mutate()}
            >
              Use the sample
            </Button>
            <a className={buttonClass()} href="/console/datasets/new">
              Upload your own
            </a>
          </div>
          <Problem error={upload.error ?? datasets.error} />
        </Step>
        <Step title="2. Train" status={job?.status}>
          <p>On a laptop this takes some seconds.</p>
          <div>
            <Button
              kind={ready && !job ? 'main' : 'plain'}
              disabled={!ready || train.isPending || (job && !job.is_terminal_status)}
              onClick={() => ready && train.mutate(ready.name)}
            >
              {ready ? `Train on ${ready.name}` : 'Train'}
            </Button>
          </div>
          {job && !job.is_terminal_status && (
            <progress
              className="h-2 w-full max-w-md"
              max={100}
              value={job.progress_percent}
              aria-label="Percent done"
            />
          )}
          {done && typeof done.metrics?.f1 === 'number' && (
            <p className="text-sm text-muted">
              F1 {percent(done.metrics.f1)} on {number(done.metrics.judged_rows ?? 0)} rows that it did not learn from.
              They are of the same kind; other texts can be harder.
            </p>
          )}
          <Problem error={train.error} />
        </Step>
        <Step title="3. Ask">
          <Ask
            model={done && (done.named_model ?? done.id)}
            isSample={done?.datasets.some(({ name }) => name === NAME) ?? true}
          />
          <p className="text-sm text-muted">
            More of it is in the <a href={`/console/playground${done ? `?model=${done.id}` : ''}`}>playground</a>.
            Programs call it with an <Link to="/keys">API key</Link>.
          </p>
        </Step>
      </ol>
    </Panel>
  );
}

const Step = ({
  title,
  status,
  children,
}: {
  readonly title: string;
  readonly status?: string | undefined;
  readonly children: ReactNode;
}): ReactElement => (
  <li className="grid gap-2 border-l-2 border-line pl-4">
    <h3 className="flex flex-wrap gap-3 font-semibold">
      {title} {status && <Status status={status} />}
    </h3>
    {children}
  </li>
);
