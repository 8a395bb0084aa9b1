import { Client } from '#apps/demo/client.js';
import { uploadDataset } from '#apps/demo/upload.js';
import type { RecordedEvent } from '#ports/event-store/port.js';

export interface Job {
  readonly id: string;
  readonly status: string;
  readonly current_epoch: number;
  readonly is_terminal_status: boolean;
}

export const ended = (job: Job): boolean => job.is_terminal_status;

export async function upload(api: Client, name: string, content: string): Promise<void> {
  await uploadDataset(api, { dataset_name: name, dataset_type: 'ner', filename: 'rows.jsonl' }, content);
}

/** A job's events, in their order. */
export const eventsOf = (log: readonly RecordedEvent[], jobId: string): readonly RecordedEvent[] =>
  log.filter(({ stream }) => stream === `job-${jobId}`);

/** The events of a job that end it. */
export const ends = (events: readonly RecordedEvent[]): string[] =>
  events.map(({ type }) => type).filter((type) => /^training-job-(completed|failed|cancelled)\.v1$/.test(type));

/** Attempts in the order in which they were claimed. */
export const claims = (events: readonly RecordedEvent[]): number[] =>
  events.filter(({ type }) => type === 'training-attempt-claimed.v1').map(({ data }) => data['attempt'] as number);

/** The files of the trained model, with their hashes. */
export function artifactOf(events: readonly RecordedEvent[]): unknown {
  const completed = events.find(({ type }) => type === 'training-job-completed.v1');
  if (!completed) throw new Error('the job is not complete');
  return (completed.data['artifact'] as { files: unknown[] }).files;
}
