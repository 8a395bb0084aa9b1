import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { distillationDecider, distillationOf, type Distillation } from '#domain/distillation/index.js';
import { NotFoundError } from '#domain/errors.js';
import { distillationDocuments } from '#projections/distillations/queries.js';
import { CancelBatch } from '../../batches/commands.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { BATCH_ID } from '../../files/ids.js';
import { stopIfOpen, whereOver } from '../../training-jobs/stop-if-open.js';
import { UseCases } from '../../use-cases.js';

const VISIBLE_IN = [distillationDocuments.collection];

export class CancelDistillation extends CallerCommand<string, Distillation> {}

@CommandHandler(CancelDistillation)
export class CancelDistillationHandler implements ICommandHandler<CancelDistillation> {
  constructor(
    private readonly application: Application,
    private readonly useCases: UseCases,
  ) {}

  /** A job in progress is stopped too, and so is the labelling. @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: distillationId }: CancelDistillation): Promise<Distillation> {
    const { workspaceId } = caller;
    const document = await distillationDocuments.get(this.application.ports.readStore, distillationId);
    if (document?.workspaceId !== workspaceId) throw new NotFoundError('distillation', distillationId);
    const { modelId } = document.request;
    const command = { type: 'cancel-distillation', distillationId, modelId, workspaceId } as const;
    const context = callerContext(caller, identity);
    const { state } = await this.application.execute(distillationDecider, modelId, command, context, VISIBLE_IN);
    const distillation = distillationOf(state, distillationId)!;
    await this.stopLabelling(caller, identity, distillation);
    await stopIfOpen(this.application, this.useCases, { caller, identity }, distillation.jobId);
    return distillation;
  }

  /** Calls that are on their way still end. */
  private async stopLabelling(
    caller: CancelDistillation['caller'],
    identity: CancelDistillation['identity'],
    { labelling }: Distillation,
  ): Promise<void> {
    if (!labelling?.batchId || labelling.end) return;
    const cancel = new CancelBatch(caller, identity, BATCH_ID.write(labelling.batchId));
    await this.useCases.execute(cancel).catch(whereOver);
  }
}
