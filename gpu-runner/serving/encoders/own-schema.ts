import { inferenceError } from '#gpu-runner/contract/inference-errors.js';
import type { InferSchema, ModelAbilities } from '#gpu-runner/engines/engine.js';
import { learnedTasks } from '#gpu-runner/engines/evaluation-queries.js';

/**
 * A trained model's own labels; its label group is called `classification`, or those of several tasks by their names.
 * @throws InferenceError it has none
 */
export function ownSchema(abilities: ModelAbilities): InferSchema {
  const { entityLabels, structures, relations } = abilities;
  const classifications = learnedTasks(abilities);
  if (!entityLabels && classifications.length === 0 && !structures && !relations)
    throw inferenceError('schema_required', {}, 'this model has no labels of its own: send a schema');
  return {
    ...(entityLabels && { entities: entityLabels.map((name) => ({ name })) }),
    ...(classifications.length > 0 && { classifications }),
    ...(structures && { structures }),
    ...(relations && { relations: relations.map((name) => ({ name })) }),
  };
}
