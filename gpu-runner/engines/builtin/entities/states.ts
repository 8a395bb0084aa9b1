import { ArtifactError } from '../../engine.js';
import { FEATURE_VERSION } from '../features/extractor.js';
import type { HeadState, JsonValue, Tensor, TensorData } from '../head.js';

/** Puts states under names into one: config under the name, tensors as "name.tensor". */
export function joinStates(parts: Readonly<Record<string, HeadState>>): HeadState {
  const config: Record<string, JsonValue> = {};
  const tensors: Record<string, Tensor> = {};
  for (const [name, part] of Object.entries(parts)) {
    config[name] = part.config;
    for (const [key, tensor] of Object.entries(part.tensors)) tensors[`${name}.${key}`] = tensor;
  }
  return { config, tensors };
}

/** The part that `joinStates` put under a name, or null if there is none. */
export function partOfState(state: HeadState, name: string): HeadState | null {
  const config = state.config[name];
  if (config === undefined) return null;
  const tensors: Record<string, Tensor> = {};
  for (const [key, tensor] of Object.entries(state.tensors)) {
    if (key.startsWith(`${name}.`)) tensors[key.slice(name.length + 1)] = tensor;
  }
  return { config: config as HeadState['config'], tensors };
}

/**
 * The numbers of a tensor.
 * @throws ArtifactError when the tensor is missing or of another type
 */
export function numbersOf<A extends TensorData>(
  state: HeadState,
  name: string,
  type: abstract new (...args: never[]) => A,
): A {
  const data = state.tensors[name]?.data;
  if (!(data instanceof type)) throw new ArtifactError(`Tensor "${name}" is missing or of another type.`);
  return data;
}

/** @throws ArtifactError when the state was made with features of another version */
export function requireFeatureVersion({ config }: HeadState, whose: string): void {
  const found = config['featureVersion'];
  if (found === FEATURE_VERSION) return;
  throw new ArtifactError(
    `${whose} has features of version ${JSON.stringify(found)}, not ${FEATURE_VERSION}: train it anew.`,
  );
}
