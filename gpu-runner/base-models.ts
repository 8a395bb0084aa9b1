import { EMBEDDERS } from './embedders.js';
import type { InferSchema } from './engine/engine.js';
import { BUILTIN_BASE_DIRECTORY } from './runner.js';

/** Base models that a runner here can load and train: catalog id -> local folder. */
export const BASE_MODELS: ReadonlyMap<string, string> = new Map([['anneal/encoder-base-v1', BUILTIN_BASE_DIRECTORY]]);

/** Code points of one text that a model is given; it reads 50,000 tokens of them. */
export const MAX_TEXT_CHARACTERS = 1_000_000;

/** Heads that a base model and its adapters have, by catalog id. What stands here is refused before a runner is asked. */
export const BASE_MODEL_HEADS: ReadonlyMap<string, readonly (keyof InferSchema)[]> = new Map([
  ['anneal/encoder-base-v1', ['entities', 'classifications']],
]);

/** All models that an engine here has, by catalog id, and those of them that it trains. */
export const ENGINE_MODELS = {
  engines: new Set([...BASE_MODELS.keys(), ...EMBEDDERS.keys()]),
  trainable: new Set(BASE_MODELS.keys()),
} as const;
