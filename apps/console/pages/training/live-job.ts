import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, body, type Schema } from '../../api/client.js';

export type Job = Schema['TrainingJobRecord'];
type Message = Schema['TrainingJobMessage'];

/** A job kept current: by server-sent events while it runs or, where these do not come, by a request every two seconds. */
export function useLiveJob(id: string): UseQueryResult<Job> {
  const queries = useQueryClient();
  const [isHeard, setHeard] = useState(false);
  const job = useQuery({
    queryKey: ['training-jobs', id],
    queryFn: () => body(api.GET('/felix/training-jobs/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.is_terminal_status === false && !isHeard ? 2_000 : false),
  });
  const runs = job.data?.is_terminal_status === false;
  useEffect(() => {
    if (!runs) return;
    const stream = new EventSource(`/felix/training-jobs/${encodeURIComponent(id)}/events`);
    const key = ['training-jobs', id];
    const on = (type: string, tell: (message: Message) => void): void =>
      stream.addEventListener(type, ({ data }) => tell(JSON.parse(String(data)) as Message));
    const change = (to: (job: Job) => Job): void =>
      void queries.setQueryData<Job>(key, (before) => before && to(before));
    stream.addEventListener('open', () => setHeard(true));
    // The browser reconnects by itself, or gives up: until then, the job is polled.
    stream.addEventListener('error', () => setHeard(false));
    on('progress', ({ progress_percent = 0 }) => change((before) => ({ ...before, progress_percent })));
    on('epoch', (message) => change((before) => withEpoch(before, message)));
    on('checkpoint', () => void queries.invalidateQueries({ queryKey: [...key, 'checkpoints'] }));
    on('status', () => void queries.invalidateQueries({ queryKey: key, exact: true }));
    on('end', () => {
      stream.close();
      setHeard(false);
      void queries.invalidateQueries({ queryKey: ['training-jobs'] });
    });
    return () => stream.close();
  }, [id, runs, queries]);
  return job;
}

function withEpoch(job: Job, { epoch = 0, step = 0, ...figures }: Message): Job {
  const curve = job.learning_curve ?? [];
  if (curve.some((point) => point.epoch === epoch)) return job;
  const { training_loss = 0, validation_loss = null, f1 = null, learning_rate = 0 } = figures;
  const point = { epoch, step, training_loss, validation_loss, f1, learning_rate };
  return { ...job, current_epoch: epoch, learning_curve: [...curve, point] };
}
