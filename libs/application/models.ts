import { modelDecider, type ModelChange, type ModelState, type NamedModel } from '#domain/model/index.js';
import { NotFoundError } from '#domain/errors.js';
import { modelDocuments } from '#projections/models/queries.js';
import type { Application } from './application.js';
import type { CommandContext } from './context.js';
import { derivedUuid } from './derived-id.js';

/** The stream of a model's name: one for each workspace and name. */
export const modelStreamId = (workspaceId: string, name: string): string => derivedUuid(`model/${workspaceId}/${name}`);

/** Signal that a name stands for something else: `{ id }` of its stream. A process that misses it learns it within a second. */
export const MODEL_CHANGED = 'models.changed';

export interface ModelName {
  readonly workspaceId: string;
  readonly name: string;
}

/**
 * Changes what a name stands for. In force at once in this process, and within a second in every other one.
 * @throws NotFoundError, ConflictError, InvalidError
 */
export async function changeModel(
  application: Application,
  { workspaceId, name }: ModelName,
  change: ModelChange,
  context: CommandContext,
): Promise<ModelState> {
  const modelId = modelStreamId(workspaceId, name);
  const command = { ...change, modelId, workspaceId, name, actor: context.actor };
  const { state } = await application.execute(modelDecider, modelId, command, context, [modelDocuments.name]);
  application.forget();
  application.ports.bus.signal(MODEL_CHANGED, { id: modelId });
  return state;
}

/** A model as the log has it now. @throws NotFoundError */
export async function loadModel(application: Application, { workspaceId, name }: ModelName): Promise<NamedModel> {
  const state = await application.load(modelDecider, modelStreamId(workspaceId, name));
  if (state.status !== 'active') throw new NotFoundError('model', name);
  return state;
}
