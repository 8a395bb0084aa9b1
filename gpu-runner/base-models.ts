import { EMBEDDERS } from './embedders.js';
import type { InferSchema } from './engine/engine.js';
import { BUILTIN_BASE_DIRECTORY } from './runner.js';

/** Base models that a runner here can load: catalog id -> local folder. */
export const BASE_MODELS: ReadonlyMap<string, string> = new Map([['anneal/encoder-base-v1', BUILTIN_BASE_DIRECTORY]]);

/** Heads that a base model and its adapters have, by catalog id. What stands here is refused before a runner is asked. */
export const BASE_MODEL_HEADS: ReadonlyMap<string, readonly (keyof InferSchema)[]> = new Map([
  ['anneal/encoder-base-v1', ['entities', 'classifications']],
]);

/** All models that an engine here has, by catalog id. */
export const ENGINE_MODELS: ReadonlySet<string> = new Set([...BASE_MODELS.keys(), ...EMBEDDERS.keys()]);
