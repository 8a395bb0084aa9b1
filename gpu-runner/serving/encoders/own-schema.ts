import { inferenceError } from '#gpu-runner/contract/inference-errors.js';
import type { InferSchema, ModelAbilities } from '#gpu-runner/engines/engine.js';

/** A trained model's own labels; its label group is called `classification`. @throws InferenceError it has none */
export function ownSchema({
  entityLabels,
  classLabels,
  multiLabel,
  structures,
  relations,
}: ModelAbilities): InferSchema {
  if (!entityLabels && !classLabels && !structures && !relations)
    throw inferenceError('schema_required', {}, 'this model has no labels of its own: send a schema');
  return {
    ...(entityLabels && { entities: entityLabels.map((name) => ({ name })) }),
    ...(classLabels && { classifications: [{ task: 'classification', labels: classLabels, multiLabel }] }),
    ...(structures && { structures }),
    ...(relations && { relations: relations.map((name) => ({ name })) }),
  };
}
