import { withRouteConfig } from './route-config.js';

/** The bounds of a route's JSON body. All are checked while it is read. */
export interface BodyLimits {
  /** Of the JSON text; `ANNEAL_BODY_MAX_BYTES` lowers it further. */
  readonly bytes: number;
  /** Texts, numbers, booleans, nulls, lists and objects of all levels together. An empty list or object counts twice. */
  readonly values: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Read stores take nesting below 100 (MongoDB), and a document adds some levels of its own. */
export const MAX_DEPTH = 64;
/** No field takes more than 1,000 names; the decoders say so by name. */
export const MAX_KEYS_OF_OBJECT = 2_000;

/** Routes without `@BodyLimit`: those whose bodies are a few short fields. */
export const FEW_FIELDS: BodyLimits = { bytes: 64 * KIB, values: 1_000 };
/** Read before anybody is known. */
export const CREDENTIALS: BodyLimits = { bytes: 16 * KIB, values: 100 };
/** Above what a correction may have, so that the refusal names the field. */
export const CORRECTION: BodyLimits = { bytes: 512 * KIB, values: 10_000 };
export const EXAMPLES: BodyLimits = { bytes: 2 * MIB, values: 10_000 };
/** Texts, messages and images for models. Parsing that many bytes takes 25 ms where all of them are escapes. */
export const MODEL_INPUT: BodyLimits = { bytes: 4 * MIB, values: 25_000 };

/** A larger or smaller body than `FEW_FIELDS`. */
export const BodyLimit = (bodyLimits: BodyLimits): MethodDecorator => withRouteConfig({ bodyLimits });
