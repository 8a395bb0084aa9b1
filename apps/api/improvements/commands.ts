import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { seenReadableVersion } from '#application/datasets.js';
import { derivedId } from '#application/execute.js';
import { changeModel, loadModel, modelStreamId } from '#application/models.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import {
  improvementDecider,
  improvementOf,
  policyOf,
  type DatasetChoice,
  type Improvement,
  type ImprovementCommand,
  type ImprovementPolicy,
  type ImprovementTrigger,
} from '#domain/improvement/index.js';
import { versionOf as modelVersion, type NamedModel } from '#domain/model/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { improvementDocuments } from '#projections/improvements/queries.js';
import { CallerCommand } from '../messages.js';
import { StopTrainingJob } from '../training-jobs/commands.js';
import { versionOf } from '../training-jobs/version-reference.js';
import { isPresent } from '../validation/reader.js';
import type { ImproveBody, PolicyBody } from './dto.js';
import { policyFrom } from './policy.js';

const VISIBLE_IN = [improvementDocuments.name];

export class ImproveModel extends CallerCommand<
  { readonly name: string; readonly body: ImproveBody; readonly trigger: ImprovementTrigger },
  Improvement
> {}

/** Asks for an improvement of the version in use; a process manager takes it through its stages. */
@CommandHandler(ImproveModel)
export class ImproveModelHandler implements ICommandHandler<ImproveModel> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: { name, body, trigger } }: ImproveModel): Promise<Improvement> {
    const context = callerContext(caller, identity);
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const modelId = modelStreamId(workspaceId, name);
    const improvementId = derivedId(context.commandId, 'improvement');
    const known = await this.application.recall(improvementDecider, modelId, identity);
    if (known) return improvementOf(known, improvementId)!;
    const model = await loadModel(this.application, { workspaceId, name });
    const champion = await this.champion(model);
    const dataset = isPresent(body.dataset_name)
      ? await this.version(workspaceId, body.dataset_name, versionOf(body.version_number))
      : null;
    const policy = await this.pinned(workspaceId, policyOf(model.policy));
    const { state } = await this.application.execute(
      improvementDecider,
      modelId,
      {
        ...({ type: 'request-improvement', improvementId, modelId, workspaceId, name, trigger } as const),
        ...{ champion, dataset, policy, requestedBy: { kind, userId, teamId, keyId } },
      },
      context,
      VISIBLE_IN,
    );
    return improvementOf(state, improvementId)!;
  }

  private async champion(model: NamedModel): Promise<{ version: number; trainingJobId: string }> {
    const inUse = modelVersion(model, model.inUse);
    if (!inUse) throw new ConflictError(`model ${model.name} has no version in use; promote one before it is improved`);
    const { version, trainingJobId } = inUse;
    if (trainingJobId === null)
      throw new ConflictError(
        `version ${version} of model ${model.name} is ${inUse.target} of the catalog, which no training job made; promote a trained version`,
      );
    const job = await this.application.load(trainingJobDecider, trainingJobId);
    if (job.status !== 'complete' && job.status !== 'deployed')
      throw new ConflictError(`training job ${trainingJobId} of version ${version} is ${job.status}`);
    if (job.request.taskType === 'decoder')
      throw new ConflictError(
        `version ${version} of model ${model.name} generates text; only models that label texts are improved so`,
      );
    return { version, trainingJobId };
  }

  private async version(workspaceId: string, name: string, version: number | 'latest'): Promise<DatasetChoice> {
    const found = await seenReadableVersion(this.application, { workspaceId, name, version });
    return { name, version: found.versionNumber, versionId: found.versionId };
  }

  /** The regression dataset at one version, so that both are measured on the same rows. */
  private async pinned(workspaceId: string, policy: ImprovementPolicy): Promise<ImprovementPolicy> {
    const { regressionDataset: on } = policy;
    if (!on) return policy;
    const { name, version } = await this.version(workspaceId, on.name, on.version ?? 'latest');
    return { ...policy, regressionDataset: { name, version } };
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
    private readonly commands: CommandBus,
  ) {}

  /** A job in progress is stopped too. @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: id }: CancelImprovement): Promise<Improvement> {
    const context = callerContext(caller, identity);
    const improvement = await changed(this.application, caller, id, { type: 'cancel-improvement' }, context);
    const { jobId } = improvement;
    const job = jobId === null ? null : await this.application.load(trainingJobDecider, jobId);
    if (job?.status === 'requested' || job?.status === 'running')
      await this.commands.execute(new StopTrainingJob(caller, identity, jobId!)).catch(whereOver);
    return improvement;
  }
}

/** It ended meanwhile. */
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
