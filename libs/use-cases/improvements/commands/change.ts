import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import {
  improvementDecider,
  improvementOf,
  type Improvement,
  type ImprovementCommand,
} from '#domain/improvement/index.js';
import { improvementDocuments } from '#projections/improvements/queries.js';
import { CallerCommand, type Act } from '../../commands-and-queries.js';
import { stopIfOpen } from '../../training-jobs/stop-if-open.js';
import { UseCases } from '../../use-cases.js';

const VISIBLE_IN = [improvementDocuments.collection];

interface Forcing {
  readonly id: string;
  readonly reason: string;
}

export class ForceGate extends CallerCommand<Forcing, Improvement> {
  static override actOf({ id, reason }: Forcing): Act {
    return { kind: 'force', command: 'force-gate', about: `take what the gate refused in improvement ${id}`, reason };
  }
}

/** Takes a version that the gate refused. */
@CommandHandler(ForceGate)
export class ForceGateHandler implements ICommandHandler<ForceGate> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError */
  execute({ caller, identity, input: { id, reason } }: ForceGate): Promise<Improvement> {
    const context = callerContext(caller, identity);
    const { actor, confirmedBy } = context;
    const change = { type: 'force-gate', actor, reason, ...(confirmedBy && { confirmedBy }) } as const;
    return changed(this.application, caller, id, change, context);
  }
}

export class CancelImprovement extends CallerCommand<string, Improvement> {}

@CommandHandler(CancelImprovement)
export class CancelImprovementHandler implements ICommandHandler<CancelImprovement> {
  constructor(
    private readonly application: Application,
    private readonly useCases: UseCases,
  ) {}

  /** A job in progress is stopped too. @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: id }: CancelImprovement): Promise<Improvement> {
    const context = callerContext(caller, identity);
    const improvement = await changed(this.application, caller, id, { type: 'cancel-improvement' }, context);
    await stopIfOpen(this.application, this.useCases, { caller, identity }, improvement.jobId);
    return improvement;
  }
}

type Change =
  { type: 'force-gate'; actor: string; reason: string; confirmedBy?: string } | { type: 'cancel-improvement' };

async function changed(
  application: Application,
  { workspaceId }: Caller,
  improvementId: string,
  change: Change,
  context: ReturnType<typeof callerContext>,
): Promise<Improvement> {
  const document = await improvementDocuments.get(application.ports.readStore, improvementId);
  if (document?.workspaceId !== workspaceId) throw new NotFoundError('improvement', improvementId);
  const { modelId } = document.request;
  const command: ImprovementCommand = { ...change, improvementId, modelId, workspaceId };
  const { state } = await application.execute(improvementDecider, modelId, command, context, VISIBLE_IN);
  return improvementOf(state, improvementId)!;
}
