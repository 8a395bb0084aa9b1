import type { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import { requireNoHold, retentionDecider } from '#domain/retention/index.js';
import { streamName } from '#domain/streams.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { INFERENCE_FORGET } from '#gpu-runner/contract/inference.js';
import { cancelSubject } from '#gpu-runner/contract/work.js';
import type { CommandContext } from '#log/context.js';
import { StreamNotFoundError, type EventStore } from '#ports/event-store/port.js';
import { trainingCheckpointDocuments } from '#projections/training-checkpoints/queries.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';

interface Job {
  readonly workspaceId: string;
  readonly jobId: string;
}

/**
 * Erases the log lines of a training job that has ended.
 * @returns whether there were any
 * @throws ConflictError while it is running, or a hold covers the log
 */
export async function eraseJobLog(
  application: Application,
  { workspaceId, jobId }: Job,
  context: CommandContext,
): Promise<boolean> {
  const { eventStore } = application.ports;
  const stream = streamName('joblog', jobId);
  if (!(await isStored(eventStore, stream))) return false;
  requireNoHold(await application.load(retentionDecider, workspaceId), { kind: 'job_log', id: jobId });
  await application.execute(trainingJobDecider, jobId, { type: 'erase-training-job-log', jobId, workspaceId }, context);
  await eventStore.deleteStream(stream);
  return true;
}

async function isStored(eventStore: EventStore, stream: string): Promise<boolean> {
  try {
    for await (const _ of eventStore.readStream(stream, { limit: 1 })) return true;
    return false;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return false;
    throw error;
  }
}

const VISIBLE_IN = [trainingJobDocuments.collection, trainingCheckpointDocuments.collection];

/**
 * Decides the deletion, which stops an active job. The reaper removes the job's stored data, and a process manager
 * releases its claims on datasets. Jobs that started from its checkpoints have their own copies.
 * @throws NotFoundError; ConflictError if a hold covers its log
 */
export async function deleteJob(
  application: Application,
  { workspaceId, jobId }: Job,
  context: CommandContext,
): Promise<void> {
  const { bus } = application.ports;
  const before = await application.load(trainingJobDecider, jobId);
  if (before.status === 'none' || before.status === 'deleted') throw new NotFoundError('training job', jobId);
  const retention = await application.load(retentionDecider, workspaceId);
  if (before.request.workspaceId === workspaceId) requireNoHold(retention, { kind: 'job_log', id: jobId });
  const command = { type: 'delete-training-job', jobId, workspaceId } as const;
  await application.execute(trainingJobDecider, jobId, command, context, VISIBLE_IN);
  // Hints only: a runner that misses them learns of it from the answer to its next report, and by looking itself.
  bus.signal(cancelSubject('training'), { id: jobId, attempt: before.attempt });
  bus.signal(INFERENCE_FORGET, { id: jobId });
}
