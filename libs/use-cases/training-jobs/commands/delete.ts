import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { requireNoHold, retentionDecider } from '#domain/retention/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { INFERENCE_FORGET } from '#gpu-runner/contract/inference.js';
import { cancelSubject } from '#gpu-runner/contract/work.js';
import { trainingCheckpointDocuments } from '#projections/training-checkpoints/queries.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';
import { CallerCommand, type Act } from '../../commands-and-queries.js';

const VISIBLE_IN = [trainingJobDocuments.collection, trainingCheckpointDocuments.collection];

export class DeleteTrainingJob extends CallerCommand<string, void> {
  static override actOf(id: string): Act {
    return { kind: 'delete', command: 'delete-training-job', about: `delete training job ${id}` };
  }
}

/**
 * Decides the deletion, which stops an active job. The reaper removes the job's stored data, and a process manager
 * releases its claims on datasets. Jobs that started from its checkpoints have their own copies.
 */
@CommandHandler(DeleteTrainingJob)
export class DeleteTrainingJobHandler implements ICommandHandler<DeleteTrainingJob> {
  constructor(private readonly application: Application) {}

  async execute({ caller, identity, input: jobId }: DeleteTrainingJob): Promise<void> {
    const { bus } = this.application.ports;
    const before = await this.application.load(trainingJobDecider, jobId);
    if (before.status === 'none' || before.status === 'deleted') throw new NotFoundError('training job', jobId);
    const retention = await this.application.load(retentionDecider, caller.workspaceId);
    if (before.request.workspaceId === caller.workspaceId) requireNoHold(retention, { kind: 'job_log', id: jobId });
    const command = { type: 'delete-training-job', jobId, workspaceId: caller.workspaceId } as const;
    await this.application.execute(trainingJobDecider, jobId, command, callerContext(caller, identity), VISIBLE_IN);
    // Hints only: a runner that misses them learns of it from the answer to its next report, and by looking itself.
    bus.signal(cancelSubject('training'), { id: jobId, attempt: before.attempt });
    bus.signal(INFERENCE_FORGET, { id: jobId });
  }
}
