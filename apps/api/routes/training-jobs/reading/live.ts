import type { LiveMessage } from '../../../edge/live-messages.js';
import type { JobNews } from '#use-cases/training-jobs/queries/follow.js';
import { epochRecord } from './record.js';

/** News of a job as messages, whose ids are revisions of the job's stream. */
export async function* messagesOf(news: AsyncIterable<JobNews>): AsyncGenerator<LiveMessage> {
  for await (const each of news)
    if (each.kind === 'progress') yield { data: { type: 'progress', progress_percent: each.percent } };
    else if (each.kind === 'end') yield { data: { type: 'end', status: each.status } };
    else {
      const data = dataOf(each);
      if (data) yield { id: each.event.revision, data };
    }
}

function dataOf({ event: { type, data }, job }: Extract<JobNews, { kind: 'event' }>): LiveMessage['data'] | null {
  switch (type) {
    case 'training-epoch-completed.v1':
      return { type: 'epoch', ...epochRecord(data) };
    case 'training-checkpoint-saved.v1':
      return { type: 'checkpoint', checkpoint_id: data.checkpointId, ...epochRecord(data) };
    case 'training-checkpoint-deleted.v1':
      return null;
    default:
      return job && { type: 'status', status: job.status, error_message: job.errorMessage };
  }
}
