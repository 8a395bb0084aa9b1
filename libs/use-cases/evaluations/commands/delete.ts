import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { evaluationDecider } from '#domain/evaluation/index.js';
import { requireNoHold, retentionDecider } from '#domain/retention/index.js';
import { cancelSubject } from '#gpu-runner/contract/work.js';
import { evaluationDocuments } from '#projections/evaluations/queries.js';
import { CallerCommand, type Act } from '../../commands-and-queries.js';

const VISIBLE_IN = [evaluationDocuments.collection];

export class DeleteEvaluation extends CallerCommand<string, void> {
  static override actOf(id: string): Act {
    return { kind: 'delete', command: 'delete-evaluation', about: `delete evaluation ${id}` };
  }
}

/** Stops a running evaluation. The reaper removes its predictions, and the claims manager releases its claim. */
@CommandHandler(DeleteEvaluation)
export class DeleteEvaluationHandler implements ICommandHandler<DeleteEvaluation> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; ConflictError if a hold covers it */
  async execute({ caller, identity, input: evaluationId }: DeleteEvaluation): Promise<void> {
    const { bus } = this.application.ports;
    const before = await this.application.load(evaluationDecider, evaluationId);
    if (before.status === 'deleted') throw new NotFoundError('evaluation', evaluationId);
    const { workspaceId } = caller;
    if (before.status !== 'none' && before.request.workspaceId === workspaceId)
      requireNoHold(await this.application.load(retentionDecider, workspaceId), {
        kind: 'evaluation',
        id: evaluationId,
      });
    const command = { type: 'delete-evaluation', evaluationId, workspaceId } as const;
    const context = callerContext(caller, identity);
    const { state } = await this.application.execute(evaluationDecider, evaluationId, command, context, VISIBLE_IN);
    // A hint only: a runner that misses it learns it from the answer to its next report.
    if (state.status !== 'none') bus.signal(cancelSubject('evaluation'), { id: evaluationId, attempt: state.attempt });
  }
}
