import { ConflictError } from '#domain/errors.js';
import {
  improvementDecider,
  improvementOf,
  policyOf,
  type DatasetChoice,
  type Improvement,
  type ImprovementPolicy,
  type ImprovementRequester,
  type ImprovementTrigger,
} from '#domain/improvement/index.js';
import { versionOf, type NamedModel } from '#domain/model/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { improvementDocuments } from '#projections/improvements/queries.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import type { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import { seenReadableVersion } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { loadModel, modelStreamId, type ModelName } from '#application/models.js';

/** The read models that show an improvement's state. */
export const IMPROVEMENTS_VISIBLE_IN = [improvementDocuments.name];

/** The id of the improvement that a command requests. */
export const improvementIdOf = ({ commandId }: Pick<CommandContext, 'commandId'>): string =>
  derivedId(commandId, 'improvement');

/**
 * Asks for an improvement of the version in use; a process manager takes it through its stages.
 * @throws NotFoundError, ConflictError
 */
export async function requestImprovement(
  application: Application,
  { workspaceId, name }: ModelName,
  order: {
    readonly dataset: { readonly name: string; readonly version: number | 'latest' } | null;
    readonly trigger: ImprovementTrigger;
    readonly requestedBy: ImprovementRequester;
  },
  context: CommandContext,
): Promise<Improvement> {
  const modelId = modelStreamId(workspaceId, name);
  const improvementId = improvementIdOf(context);
  const model = await loadModel(application, { workspaceId, name });
  const champion = await championOf(application, model);
  const dataset = order.dataset && (await chosen(application, workspaceId, order.dataset));
  const policy = await pinned(application, workspaceId, policyOf(model.policy));
  const corrections = await correctedCalls(application, workspaceId, champion.trainingJobId);
  const { state } = await application.execute(
    improvementDecider,
    modelId,
    {
      ...({ type: 'request-improvement', improvementId, modelId, workspaceId, name } as const),
      ...{ champion, dataset, policy, corrections, trigger: order.trigger, requestedBy: order.requestedBy },
    },
    context,
    IMPROVEMENTS_VISIBLE_IN,
  );
  return improvementOf(state, improvementId)!;
}

/** Recorded calls of a training job's model whose answers were marked incorrect. */
export const correctedCalls = (application: Application, workspaceId: string, trainingJobId: string): Promise<number> =>
  inferenceDocuments.count(application.ports.readStore, {
    where: { workspaceId },
    filter: { where: { trainingJobId, verdict: 'incorrect' } },
  });

async function championOf(
  application: Application,
  model: NamedModel,
): Promise<{ readonly version: number; readonly trainingJobId: string }> {
  const inUse = versionOf(model, model.inUse);
  if (!inUse) throw new ConflictError(`model ${model.name} has no version in use; promote one before it is improved`);
  const { version, trainingJobId } = inUse;
  if (trainingJobId === null)
    throw new ConflictError(
      `version ${version} of model ${model.name} is ${inUse.target} of the catalog, which no training job made; promote a trained version`,
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

async function chosen(
  application: Application,
  workspaceId: string,
  { name, version }: { readonly name: string; readonly version: number | 'latest' },
): Promise<DatasetChoice> {
  const found = await seenReadableVersion(application, { workspaceId, name, version });
  return { name, version: found.versionNumber, versionId: found.versionId };
}

/** The regression dataset at one version, so that both are measured on the same rows. */
async function pinned(
  application: Application,
  workspaceId: string,
  policy: ImprovementPolicy,
): Promise<ImprovementPolicy> {
  const { regressionDataset: on } = policy;
  if (!on) return policy;
  const { name, version } = await chosen(application, workspaceId, { name: on.name, version: on.version ?? 'latest' });
  return { ...policy, regressionDataset: { name, version } };
}
