import {
  modelDecider,
  versionOf,
  type ModelChange,
  type ModelState,
  type ModelVersion,
  type NamedModel,
} from '#domain/model/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { modelDocuments } from '#projections/models/queries.js';
import type { Application } from './application.js';
import type { CommandContext } from '#log/context.js';
import { derivedUuid } from '#log/derived-id.js';

/** The stream of a model's name: one for each workspace and name. */
export const modelStreamId = (workspaceId: string, name: string): string => derivedUuid(`model/${workspaceId}/${name}`);

/**
 * Signal that a name refers to another version: `{ id }` of its stream. A process that misses it learns it within a
 * second.
 */
export const MODEL_CHANGED = 'models.changed';

export interface ModelName {
  readonly workspaceId: string;
  readonly name: string;
}

/**
 * Changes what a name refers to. In force at once in this process, and within a second in every other one.
 * @throws NotFoundError, InvalidError; ConflictError, also for a version whose training job is deleted
 */
export async function changeModel(
  application: Application,
  { workspaceId, name }: ModelName,
  change: ModelChange,
  context: CommandContext,
): Promise<ModelState> {
  const modelId = modelStreamId(workspaceId, name);
  await requireStored(application, { workspaceId, name }, change);
  const command = { ...change, modelId, workspaceId, name, actor: context.actor };
  const { state } = await application.execute(modelDecider, modelId, command, context, [modelDocuments.collection]);
  application.forget();
  application.ports.bus.signal(MODEL_CHANGED, { id: modelId });
  return state;
}

/** @throws ConflictError the version that calls would go to was trained by a job that is deleted */
async function requireStored(application: Application, model: ModelName, change: ModelChange): Promise<void> {
  const number = change.type === 'set-traffic' ? change.traffic?.version : 'version' in change && change.version;
  if (change.type === 'detect-drift' || typeof number !== 'number') return;
  const state = await application.load(modelDecider, modelStreamId(model.workspaceId, model.name));
  const version = state.status === 'active' ? versionOf(state, number) : null;
  if (!version || (await isStored(application, version))) return;
  throw new ConflictError(
    `version ${number} of model ${model.name} was trained by job ${version.trainingJobId}, which is deleted; name another version`,
  );
}

/** Whether the files of a version still exist, according to the log. */
export async function isStored(
  application: Application,
  { trainingJobId }: Pick<ModelVersion, 'trainingJobId'>,
): Promise<boolean> {
  return trainingJobId === null || (await application.load(trainingJobDecider, trainingJobId)).status !== 'deleted';
}

/** A model as the log has it now. @throws NotFoundError */
export async function loadModel(application: Application, { workspaceId, name }: ModelName): Promise<NamedModel> {
  const state = await application.load(modelDecider, modelStreamId(workspaceId, name));
  if (state.status !== 'active') throw new NotFoundError('model', name);
  return state;
}
