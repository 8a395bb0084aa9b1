import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Application } from '#application/application.js';
import { streamName } from '#domain/streams.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import type { Recorded } from '#log/projector/handlers.js';
import { StreamNotFoundError } from '#ports/event-store/port.js';
import { trainingJobs, type TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { LiveProgress } from '../live-progress.js';
import { progressPercent, TERMINAL } from '../progress.js';
import { requireJobOnLog } from '../require-job.js';

const LOOK_EVERY_MS = 500;

/** What happened to a job: an event with the job after it, progress between events, or the end. */
export type JobNews =
  | { readonly kind: 'event'; readonly event: Recorded<TrainingJobEvent>; readonly job: TrainingJobDocument | null }
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'end'; readonly status: TrainingJobDocument['status'] | 'deleted' };

interface JobToFollow {
  readonly jobId: string;
  /** Revision of the last event that the caller knows; null for none. */
  readonly after: number | null;
}

/**
 * The news of a job from its stream and the runners' heartbeats: those after an event, then each as it happens, until the
 * job ends or the signal aborts.
 * @throws NotFoundError unknown, deleted, or of another workspace
 */
export class FollowTrainingJob extends CallerQuery<JobToFollow, (signal: AbortSignal) => AsyncIterable<JobNews>> {}

@QueryHandler(FollowTrainingJob)
export class FollowTrainingJobHandler implements IQueryHandler<FollowTrainingJob> {
  constructor(
    private readonly application: Application,
    private readonly progress: LiveProgress,
  ) {}

  async execute({ caller, input: { jobId, after } }: FollowTrainingJob) {
    await requireJobOnLog(this.application, caller.workspaceId, jobId);
    return (signal: AbortSignal) => this.news(jobId, after ?? -1, signal);
  }

  private async *news(jobId: string, after: number, signal: AbortSignal): AsyncGenerator<JobNews> {
    let job: TrainingJobDocument | null = null;
    let told = -1;
    for (let next = 0; !signal.aborted; await pause(LOOK_EVERY_MS, signal)) {
      const events = await this.eventsFrom(jobId, next);
      for (const event of events ?? []) {
        next = event.revision + 1;
        job = documentAfter(job, event);
        if (event.revision > after) yield { kind: 'event', event, job };
      }
      if (events === null || job === null || TERMINAL.has(job.status)) {
        yield { kind: 'end', status: events === null || job === null ? 'deleted' : job.status };
        return;
      }
      const percent = progressPercent(job, this.progress.fractionOf('training', jobId, job.attempt));
      if (percent === told) continue;
      told = percent;
      yield { kind: 'progress', percent };
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

/** Resolves after some milliseconds, or at once when the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
