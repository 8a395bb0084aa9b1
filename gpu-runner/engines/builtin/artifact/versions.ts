/**
 * Versions of what an artifact depends on besides its own numbers. A loaded artifact is refused when its format,
 * tokenizer or features differ: the same weights over other features would give confident nonsense. Raise a number with
 * any change that alters the output of the thing it names. (The terms of the classification head have their own
 * version, in `classification/terms/terms.ts`.)
 */

export const ENGINE_NAME = 'builtin';

/**
 * Version of the layout of an artifact's files. Raised when earlier artifacts cannot be served any more, and then all
 * of them must be trained again. In the files it is `engine_version`, from before `TRAINER_VERSION` was separate.
 */
export const ARTIFACT_VERSION = '1';

/**
 * Raised when the same rows, settings and seed give another artifact, also because the base model's table of words
 * changed. Jobs and evaluations pin it, and artifacts name it; serving ignores it. Training state in a checkpoint of
 * another version is not continued.
 */
export const TRAINER_VERSION = 18;

/** Version of the tokenizer (`text/`). */
export const TOKENIZER_VERSION = 1;

/** Version of the features of a token in the entity head. */
export { FEATURE_VERSION } from '../features/extractor.js';
