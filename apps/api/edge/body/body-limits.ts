import { withRouteConfig } from '../route-config.js';

/** The bounds of a route's JSON body. All are checked while it is read. */
export interface BodyLimits {
  /** Bytes of the JSON text; `ANNEAL_BODY_MAX_BYTES` lowers it further. */
  readonly bytes: number;
  /** Texts, numbers, booleans, nulls, lists, objects and their fields, of all levels together. */
  readonly values: number;
  /** Numbers (booleans, nulls) in lists that count as one value together; default 1. */
  readonly numbersPerValue?: 16;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Read stores accept nesting below 100 (MongoDB), and a document adds some levels. */
export const MAX_DEPTH = 64;
/** No field takes more than 1,000 names; the decoders name the field. */
export const MAX_KEYS_OF_OBJECT = 2_000;

/** Default of routes without `@BodyLimit`: a few short fields. */
export const FEW_FIELDS: BodyLimits = { bytes: 64 * KIB, values: 1_000 };
/** Read before the caller is known. */
export const CREDENTIALS: BodyLimits = { bytes: 16 * KIB, values: 100 };
/** Above the limit on corrections, so that the refusal names the field. */
export const CORRECTION: BodyLimits = { bytes: 512 * KIB, values: 10_000 };
export const EXAMPLES: BodyLimits = { bytes: 2 * MIB, values: 10_000 };
/** Texts to label, which `Idempotency-Key` compares whole. */
export const TEXTS_TO_LABEL: BodyLimits = { bytes: 4 * MIB, values: 25_000 };
/** Texts, messages, images and documents for models. */
export const MODEL_INPUT: BodyLimits = { bytes: 16 * MIB, values: 25_000 };
/** Bodies with token ids: OpenAI accepts 300,000 in one request, and these routes name the model that does not. */
export const TOKEN_INPUT: BodyLimits = { ...MODEL_INPUT, numbersPerValue: 16 };

/** A larger or smaller body than `FEW_FIELDS`. */
export const BodyLimit = (bodyLimits: BodyLimits): MethodDecorator => withRouteConfig({ bodyLimits });
