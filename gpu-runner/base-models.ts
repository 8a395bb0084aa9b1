import { BUILTIN_BASE_DIRECTORY } from './runner.js';

/** Base models that a runner here can load: catalog id -> local folder. */
export const BASE_MODELS: ReadonlyMap<string, string> = new Map([['anneal/encoder-base-v1', BUILTIN_BASE_DIRECTORY]]);
