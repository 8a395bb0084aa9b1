import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import type { JsonObject } from '#domain/json.js';
import { streamName } from '#domain/streams.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import type { Recorded } from '#log/projector/handlers.js';
import { StreamNotFoundError } from '#ports/event-store/port.js';
import { trainingJobs, type TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { pause, type LiveMessage } from '../../../edge/live-messages.js';
import { LiveProgress } from '#use-cases/training-jobs/reading/live-progress.js';
import { requireJob } from '#use-cases/training-jobs/reading/queries.js';
import { epochRecord, progressPercent, TERMINAL } from './record.js';

const LOOK_EVERY_MS = 500;

type Message = LiveMessage['data'];

/** Reports a job's progress, from its stream and the runners' heartbeats. */
@Injectable()
export class LiveJobs {
  constructor(
    private readonly application: Application,
    private readonly progress: LiveProgress,
  ) {}

  /**
   * Yields the facts of a job after a message, then each new one; ends with the job. The ids of messages are revisions of its stream.
   * @param after the last message that the client has; null for none
   * @throws NotFoundError unknown, deleted, or of another workspace
   */
  async follow(caller: Caller, jobId: string, after: number | null) {
    await requireJob(this.application, caller, jobId);
    return (signal: AbortSignal) => this.messages(jobId, after ?? -1, signal);
  }

  private async *messages(jobId: string, after: number, signal: AbortSignal): AsyncGenerator<LiveMessage> {
    let job: TrainingJobDocument | null = null;
    let told = -1;
    for (let next = 0; !signal.aborted; await pause(LOOK_EVERY_MS, signal)) {
      const events = await this.eventsFrom(jobId, next);
      for (const event of events ?? []) {
        next = event.revision + 1;
        job = documentAfter(job, event);
        const message = messageOf(event, job);
        if (message && event.revision > after) yield { id: event.revision, data: message };
      }
      if (events === null || job === null || TERMINAL.has(job.status)) {
        const status = events === null || job === null ? 'deleted' : job.status;
        yield { data: { type: 'end', status } };
        return;
      }
      const percent = progressPercent(job, this.progress.fractionOf('training', jobId, job.attempt));
      if (percent === told) continue;
      told = percent;
      yield { data: { type: 'progress', progress_percent: percent } };
    }
  }

  /** null: the stream is deleted. */
  private async eventsFrom(jobId: string, fromRevision: number): Promise<Recorded<TrainingJobEvent>[] | null> {
    const stream = streamName('job', jobId);
    try {
      const events = await Array.fromAsync(this.application.ports.eventStore.readStream(stream, { fromRevision }));
      return events as unknown as Recorded<TrainingJobEvent>[];
    } catch (error) {
      if (error instanceof StreamNotFoundError) return null;
      throw error;
    }
  }
}

/** The read model's own document, so that a message and the job's record say the same. */
function documentAfter(job: TrainingJobDocument | null, event: Recorded<TrainingJobEvent>): TrainingJobDocument | null {
  const handle = trainingJobs.on[event.type] as
    ((job: TrainingJobDocument | null, event: Recorded<TrainingJobEvent>) => TrainingJobDocument | null) | undefined;
  return handle ? handle(job, event) : job;
}

function messageOf({ type, data }: Recorded<TrainingJobEvent>, job: TrainingJobDocument | null): Message | null {
  switch (type) {
    case 'training-epoch-completed.v1':
      return { type: 'epoch', ...epochRecord(data) };
    case 'training-checkpoint-saved.v1':
      return { type: 'checkpoint', checkpoint_id: data.checkpointId, ...epochRecord(data) };
    case 'training-checkpoint-deleted.v1':
      return null;
    default:
      return job && statusOf(job);
  }
}

const statusOf = ({ status, errorMessage }: TrainingJobDocument): Message & JsonObject => ({
  type: 'status',
  status,
  error_message: errorMessage,
});
