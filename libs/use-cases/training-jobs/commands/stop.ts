import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { cancelSubject } from '#gpu-runner/contract/work.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';
import { CallerCommand } from '../../commands-and-queries.js';

const VISIBLE_IN = [trainingJobDocuments.collection];

export class StopTrainingJob extends CallerCommand<string, void> {}

@CommandHandler(StopTrainingJob)
export class StopTrainingJobHandler implements ICommandHandler<StopTrainingJob> {
  constructor(private readonly application: Application) {}

  async execute({ caller, identity, input: jobId }: StopTrainingJob): Promise<void> {
    const command = { type: 'stop-training-job', jobId, workspaceId: caller.workspaceId } as const;
    const context = callerContext(caller, identity);
    const { state } = await this.application.execute(trainingJobDecider, jobId, command, context, VISIBLE_IN);
    // A hint only: a runner that misses it learns it from the answer to its next report.
    if (state.status === 'cancelled')
      this.application.ports.bus.signal(cancelSubject('training'), { id: jobId, attempt: state.attempt });
  }
}
