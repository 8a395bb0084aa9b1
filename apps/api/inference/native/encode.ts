import type { Json, JsonObject } from '#domain/json.js';
import type { ClassHit, ClassificationQuery, EntityHit, InferResult, InferSchema } from '#gpu-runner/engine/engine.js';
import { codePointOffsets } from './code-points.js';
import type { NativeRequest, RequestedSchema } from './request.js';

type Shape = Pick<NativeRequest, 'includeConfidence' | 'includeSpans'>;

/**
 * One text's result as the interface shows it: a key for each head, offsets in Unicode code points.
 * Built without a prototype, since labels are keys and a label may be called `__proto__`.
 * @param applied the schema that ran: the caller's, or the model's own
 */
export function encodeResult(
  text: string,
  result: InferResult,
  applied: InferSchema,
  requested: RequestedSchema | null,
  shape: Shape,
): JsonObject {
  const encoded = Object.create(null) as Record<string, Json>;
  if (result.entities) encoded['entities'] = encodeEntities(text, result.entities, requested, shape);
  for (const query of applied.classifications ?? []) {
    const hits = result.classifications?.[query.task];
    if (hits) encoded[query.task] = encodeClasses(hits, query, shape);
  }
  return encoded;
}

function encodeEntities(
  text: string,
  entities: Readonly<Record<string, readonly EntityHit[]>>,
  schema: RequestedSchema | null,
  { includeConfidence, includeSpans }: Shape,
): JsonObject {
  const offset = codePointOffsets(text);
  const encoded = Object.create(null) as Record<string, Json>;
  for (const [label, hits] of Object.entries(entities)) {
    const single = schema?.entities?.find(({ name }) => name === label)?.dtype === 'str';
    encoded[label] = (single ? mostConfident(hits) : hits).map((hit) => {
      if (!includeConfidence && !includeSpans) return hit.text;
      return {
        text: hit.text,
        ...(includeConfidence && { confidence: rounded(hit.confidence) }),
        ...(includeSpans && { start: offset(hit.start), end: offset(hit.end) }),
      };
    });
  }
  return encoded;
}

const mostConfident = (hits: readonly EntityHit[]): readonly EntityHit[] =>
  hits.length < 2 ? hits : [hits.reduce((best, hit) => (hit.confidence > best.confidence ? hit : best))];

function encodeClasses(
  hits: readonly ClassHit[],
  { multiLabel, topK }: ClassificationQuery,
  { includeConfidence }: Shape,
): Json {
  const encode = (hit: ClassHit): Json =>
    includeConfidence || topK !== undefined ? { label: hit.label, confidence: rounded(hit.confidence) } : hit.label;
  const [best] = hits;
  return multiLabel || topK !== undefined || best === undefined ? hits.map(encode) : encode(best);
}

/** Six digits: more are noise, and cost room in every record. */
const rounded = (confidence: number): number => Math.round(confidence * 1e6) / 1e6;
