import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { seenReadableVersion } from '#application/datasets.js';
import { loadModel, modelStreamId } from '#application/models.js';
import { distillationDecider, distillationOf } from '#domain/distillation/index.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import {
  improvementDecider,
  improvementOf,
  policyOf,
  type DatasetChoice,
  type Improvement,
  type ImprovementPolicy,
  type ImprovementTrigger,
} from '#domain/improvement/index.js';
import { versionOf as modelVersionOf, type NamedModel } from '#domain/model/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { derivedId } from '#log/execute.js';
import { isPresent } from '#primitives/values.js';
import { improvementDocuments } from '#projections/improvements/queries.js';
import { versionOf } from '../../datasets/version-of.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { correctedCalls } from '../corrected-calls.js';

const VISIBLE_IN = [improvementDocuments.collection];

/** With the field names of `POST /models/{name}/improve`, which its errors name. Null is as good as absent. */
interface ImprovementOrder {
  /** The model's. */
  readonly name: string;
  readonly dataset_name?: string | null;
  readonly version_number?: string | number | null;
  /** Of an improvement that the model's policy asks for. */
  readonly trigger?: ImprovementTrigger;
}

export class ImproveModel extends CallerCommand<ImprovementOrder, Improvement> {}

/** Asks for an improvement of the version in use; a process manager takes it through its stages. */
@CommandHandler(ImproveModel)
export class ImproveModelHandler implements ICommandHandler<ImproveModel> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError, InvalidError */
  async execute({ caller, identity, input }: ImproveModel): Promise<Improvement> {
    const { name, dataset_name, version_number, trigger = 'request' } = input;
    const context = callerContext(caller, identity);
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const modelId = modelStreamId(workspaceId, name);
    const improvementId = derivedId(context.commandId, 'improvement');
    const known = await this.application.recall(improvementDecider, modelId, identity);
    if (known) return improvementOf(known, improvementId)!;
    if (!isPresent(dataset_name) && isPresent(version_number))
      throw new InvalidError({
        path: ['body', 'version_number'],
        message: 'needs dataset_name; send both or neither',
        type: 'missing',
      });
    const model = await loadModel(this.application, { workspaceId, name });
    const champion = await championOf(this.application, model);
    const dataset = isPresent(dataset_name)
      ? await chosen(this.application, { workspaceId, name: dataset_name }, versionOf(version_number))
      : null;
    const policy = await pinned(this.application, workspaceId, policyOf(model.policy));
    const corrections = await correctedCalls(this.application, workspaceId, { trainingJobId: champion.trainingJobId });
    const { state } = await this.application.execute(
      improvementDecider,
      modelId,
      {
        ...({ type: 'request-improvement', improvementId, modelId, workspaceId, name } as const),
        ...{ champion, dataset, policy, corrections, trigger, requestedBy: { kind, userId, teamId, keyId } },
      },
      context,
      VISIBLE_IN,
    );
    return improvementOf(state, improvementId)!;
  }
}

async function championOf(
  application: Application,
  model: NamedModel,
): Promise<{ readonly version: number; readonly trainingJobId: string }> {
  const inUse = modelVersionOf(model, model.inUse);
  if (!inUse) throw new ConflictError(`model ${model.name} has no version in use; promote one before it is improved`);
  const { version, trainingJobId, distillationId } = inUse;
  if (trainingJobId === null)
    throw new ConflictError(
      `version ${version} of model ${model.name} is ${inUse.target} of the catalog, which no training job made; promote a trained version`,
    );
  if (distillationId !== undefined)
    throw new ConflictError(
      `version ${version} of model ${model.name} was distilled; POST /models/${model.name}/distil ${await orderOf(application, model, distillationId)} learns what people said of its calls, and shows again how often it agrees with its teacher`,
    );
  const job = await application.load(trainingJobDecider, trainingJobId);
  if (job.status !== 'complete' && job.status !== 'deployed')
    throw new ConflictError(`training job ${trainingJobId} of version ${version} is ${job.status}`);
  if (job.request.taskType === 'decoder')
    throw new ConflictError(
      `version ${version} of model ${model.name} generates text; only models that label texts can be improved`,
    );
  return { version, trainingJobId };
}

/** The body of a request that distils again. */
async function orderOf(application: Application, { modelId }: NamedModel, distillationId: string): Promise<string> {
  const distillation = distillationOf(await application.load(distillationDecider, modelId), distillationId);
  const { teacher, targetAgreement: target_agreement } = distillation?.request ?? {};
  return JSON.stringify({ teacher, target_agreement });
}

async function chosen(
  application: Application,
  dataset: { readonly workspaceId: string; readonly name: string },
  version: number | 'latest',
): Promise<DatasetChoice> {
  const found = await seenReadableVersion(application, { ...dataset, version });
  return { name: dataset.name, version: found.versionNumber, versionId: found.versionId };
}

/** The regression dataset at one version, so that both are measured on the same rows. */
async function pinned(
  application: Application,
  workspaceId: string,
  policy: ImprovementPolicy,
): Promise<ImprovementPolicy> {
  const { regressionDataset: on } = policy;
  if (!on) return policy;
  const { name, version } = await chosen(application, { workspaceId, name: on.name }, on.version ?? 'latest');
  return { ...policy, regressionDataset: { name, version } };
}
