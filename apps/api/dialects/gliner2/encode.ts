import type { Json, JsonObject } from '#domain/json.js';
import type { ClassHit, InferResult, InferSchema } from '#gpu-runner/contract/schema.js';
import { emptyObject, encodeResult, rounded } from '#calls/encoder-result.js';
import type { Gliner2Request } from './decode.js';

/** Shapes one text's result for the GLiNER2 API client. */
export function encodeGliner2(
  text: string,
  result: InferResult,
  applied: InferSchema,
  { encoder, formatted, scalarEntities }: Gliner2Request,
): JsonObject {
  const encoded = emptyObject();
  for (const [key, value] of Object.entries(encodeResult(text, result, applied, encoder.schema, encoder)))
    encoded[key] = key === 'entities' ? withScalars(value as JsonObject, scalarEntities) : value!;
  return formatted ? encoded : raw(encoded, result, applied);
}

/** Replaces the list of an entity with `dtype: str` by its one hit, or null. */
function withScalars(entities: JsonObject, scalar: ReadonlySet<string>): JsonObject {
  if (scalar.size === 0) return entities;
  const encoded = emptyObject();
  for (const [label, hits] of Object.entries(entities))
    encoded[label] = scalar.has(label) ? ((hits as readonly Json[])[0] ?? null) : hits!;
  return encoded;
}

/**
 * `format_results: false`: results in the form of the package's own code before formatting: entities in a list of one,
 * classes as pairs of label and confidence, relations beside the other heads.
 */
function raw(native: Readonly<Record<string, Json>>, result: InferResult, applied: InferSchema): JsonObject {
  const encoded = emptyObject();
  for (const [key, value] of Object.entries(native)) {
    if (key === 'entities') encoded[key] = [value];
    else if (key === 'relation_extraction') Object.assign(encoded, value);
    else encoded[key] = value;
  }
  for (const { task, multiLabel, topK } of applied.classifications ?? []) {
    const pairs = (result.classifications?.[task] ?? []).map(pairOf);
    encoded[task] = multiLabel || topK !== undefined ? pairs : (pairs[0] ?? []);
  }
  return encoded;
}

const pairOf = ({ label, confidence }: ClassHit): Json => [label, rounded(confidence)];
