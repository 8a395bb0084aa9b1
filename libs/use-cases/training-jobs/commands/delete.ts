import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { CallerCommand, type Act } from '../../commands-and-queries.js';
import { deleteJob } from '../../erasure/jobs.js';

export class DeleteTrainingJob extends CallerCommand<string, void> {
  static override actOf(id: string): Act {
    return { kind: 'delete', command: 'delete-training-job', about: `delete training job ${id}` };
  }
}

@CommandHandler(DeleteTrainingJob)
export class DeleteTrainingJobHandler implements ICommandHandler<DeleteTrainingJob> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; ConflictError if a hold covers its log */
  execute({ caller, identity, input: jobId }: DeleteTrainingJob): Promise<void> {
    const { workspaceId } = caller;
    return deleteJob(this.application, { workspaceId, jobId }, callerContext(caller, identity));
  }
}
