import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { seenReadableVersion } from '#application/datasets.js';
import { IMPROVEMENTS_VISIBLE_IN as VISIBLE_IN, improvementIdOf, requestImprovement } from './improvements.js';
import { changeModel, loadModel, modelStreamId } from '#application/models.js';
import { ConflictError, InvalidError, NotFoundError } from '#domain/errors.js';
import {
  improvementDecider,
  improvementOf,
  type Improvement,
  type ImprovementCommand,
  type ImprovementPolicy,
} from '#domain/improvement/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { improvementDocuments } from '#projections/improvements/queries.js';
import { UseCases } from '../use-cases.js';
import { CallerCommand } from '../messages.js';
import { StopTrainingJob } from '../training-jobs/commands/stop.js';
import { versionOf } from '../datasets/version-of.js';
import { isPresent } from '#primitives/values.js';
import type { ImproveBody, PolicyBody } from '#apps/api/routes/improvements/dto.js';
import { policyFrom } from '#apps/api/routes/improvements/policy.js';

export class ImproveModel extends CallerCommand<{ readonly name: string; readonly body: ImproveBody }, Improvement> {}

/** Asks for an improvement of the version in use; a process manager takes it through its stages. */
@CommandHandler(ImproveModel)
export class ImproveModelHandler implements ICommandHandler<ImproveModel> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: { name, body } }: ImproveModel): Promise<Improvement> {
    const context = callerContext(caller, identity);
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const known = await this.application.recall(improvementDecider, modelStreamId(workspaceId, name), identity);
    if (known) return improvementOf(known, improvementIdOf(context))!;
    const dataset = isPresent(body.dataset_name)
      ? { name: body.dataset_name, version: versionOf(body.version_number) }
      : null;
    if (!dataset && isPresent(body.version_number))
      throw new InvalidError({
        path: ['body', 'version_number'],
        message: 'needs dataset_name; send both or neither',
        type: 'missing',
      });
    const order = { dataset, trigger: 'request', requestedBy: { kind, userId, teamId, keyId } } as const;
    return requestImprovement(this.application, { workspaceId, name }, order, context);
  }
}

export class SetPolicy extends CallerCommand<{ readonly name: string; readonly body: PolicyBody }, ImprovementPolicy> {}

@CommandHandler(SetPolicy)
export class SetPolicyHandler implements ICommandHandler<SetPolicy> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError, InvalidError */
  async execute({ caller, identity, input: { name, body } }: SetPolicy): Promise<ImprovementPolicy> {
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const policy = policyFrom(body);
    await loadModel(this.application, { workspaceId, name });
    if (policy.regressionDataset) {
      const { name: dataset, version } = policy.regressionDataset;
      await seenReadableVersion(this.application, { workspaceId, name: dataset, version: version ?? 'latest' });
    }
    const stored = { ...policy, setBy: { kind, userId, teamId, keyId } };
    const change = { type: 'set-policy', policy: stored } as const;
    await changeModel(this.application, { workspaceId, name }, change, callerContext(caller, identity));
    return policy;
  }
}

interface Forcing {
  readonly id: string;
  readonly reason: string;
}

export class ForceGate extends CallerCommand<Forcing, Improvement> {}

/** Takes a version that the gate refused. */
@CommandHandler(ForceGate)
export class ForceGateHandler implements ICommandHandler<ForceGate> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError */
  execute({ caller, identity, input: { id, reason } }: ForceGate): Promise<Improvement> {
    const context = callerContext(caller, identity);
    return changed(this.application, caller, id, { type: 'force-gate', actor: context.actor, reason }, context);
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
    const { jobId } = improvement;
    const job = jobId === null ? null : await this.application.load(trainingJobDecider, jobId);
    if (job?.status === 'requested' || job?.status === 'running')
      await this.useCases.execute(new StopTrainingJob(caller, identity, jobId!)).catch(whereOver);
    return improvement;
  }
}

/** Ignores an improvement that has ended. */
function whereOver(error: unknown): void {
  if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
}

type Change = { type: 'force-gate'; actor: string; reason: string } | { type: 'cancel-improvement' };

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
