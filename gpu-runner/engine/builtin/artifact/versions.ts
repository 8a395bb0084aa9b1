/**
 * What an artifact depends on besides its own numbers. A loaded artifact is refused when one differs: the same weights over
 * other features would give confident nonsense. Raise a number with any change that alters the output of the thing it names.
 * (The terms of the classification head have a version of their own, in `classification/terms.ts`.)
 */

export const engineName = 'builtin';

/** Raised when the same data, settings and seed would give another artifact. */
export const engineVersion = '1';

/** How a text is cut into tokens (`text/`). */
export const tokenizerVersion = 1;

/** How a token becomes features of the entity head. */
export { featureVersion } from '../features/extractor.js';
