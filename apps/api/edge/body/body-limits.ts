import type { JsonBounds } from '#primitives/text/json-shape.js';
import { withRouteConfig } from '../route-config.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Default of routes without `@BodyLimit`: a few short fields. */
export const FEW_FIELDS: JsonBounds = { bytes: 64 * KIB, values: 1_000 };
/** Read before the caller is known. */
export const CREDENTIALS: JsonBounds = { bytes: 16 * KIB, values: 100 };
/** Above the limit on corrections, so that the refusal names the field. */
export const CORRECTION: JsonBounds = { bytes: 512 * KIB, values: 10_000 };
export const EXAMPLES: JsonBounds = { bytes: 2 * MIB, values: 10_000 };
/** Texts to label, which `Idempotency-Key` compares whole. */
export const TEXTS_TO_LABEL: JsonBounds = { bytes: 4 * MIB, values: 25_000 };
/** A larger or smaller body than `FEW_FIELDS`. */
export const BodyLimit = (bodyLimits: JsonBounds): MethodDecorator => withRouteConfig({ bodyLimits });
