import type { Json, JsonObject } from '#domain/json.js';
import type {
  ClassHit,
  ClassificationQuery,
  FieldQuery,
  InferResult,
  InferSchema,
  RelationQuery,
  StructureQuery,
  ValueHit,
} from '#gpu-runner/contract/schema.js';
import { CodePoints } from '#domain/code-points.js';
import type { EncoderRequest, RequestedSchema } from './encoder-request.js';

type Shape = Pick<EncoderRequest, 'includeConfidence' | 'includeSpans'>;

/** Shapes one hit. */
type ShapeHit = (hit: ValueHit) => Json;

/**
 * Shapes one text's result: a key per head, offsets in Unicode code points. Has no prototype, because labels are keys
 * and a label may be `__proto__`.
 * @param applied the schema that ran: the caller's, or the model's own
 */
export function encodeResult(
  text: string,
  result: InferResult,
  applied: InferSchema,
  requested: RequestedSchema | null,
  shape: Shape,
): JsonObject {
  const encoded = emptyObject();
  const shapeHit = shapeOf(text, shape);
  if (result.entities) encoded['entities'] = encodeEntities(result.entities, requested, shapeHit);
  for (const query of applied.classifications ?? []) {
    const hits = result.classifications?.[query.task];
    if (hits) encoded[query.task] = encodeClasses(hits, query, shape);
  }
  for (const query of applied.structures ?? [])
    encoded[query.name] = foundUnder(result.structures, query.name).map((hits) =>
      encodeInstance(hits, query, shapeHit),
    );
  if (applied.relations)
    encoded['relation_extraction'] = encodeRelations(result.relations, applied.relations, shape, shapeHit);
  return encoded;
}

/** The value under a name that a caller chose: `constructor` may be one. */
const foundUnder = <Found>(found: Readonly<Record<string, readonly Found[]>> | undefined, name: string) =>
  (found && Object.hasOwn(found, name) && found[name]) || [];

export const emptyObject = () => Object.create(null) as Record<string, Json>;

function shapeOf(text: string, { includeConfidence, includeSpans }: Shape): ShapeHit {
  if (!includeConfidence && !includeSpans) return (hit) => hit.text;
  const { ofUtf16 } = new CodePoints(text);
  return ({ text: found, confidence, start, end }) => ({
    text: found,
    ...(includeConfidence && { confidence: rounded(confidence) }),
    ...(includeSpans && start !== undefined && end !== undefined && { start: ofUtf16(start), end: ofUtf16(end) }),
  });
}

function encodeEntities(
  entities: NonNullable<InferResult['entities']>,
  schema: RequestedSchema | null,
  shapeHit: ShapeHit,
): JsonObject {
  const encoded = emptyObject();
  const single = new Set(schema?.entities?.flatMap(({ name, dtype }) => (dtype === 'str' ? [name] : [])));
  for (const [label, hits] of Object.entries(entities))
    encoded[label] = (single.has(label) ? mostConfident(hits) : hits).map(shapeHit);
  return encoded;
}

const mostConfident = <Hit extends ValueHit>(hits: readonly Hit[]): readonly Hit[] =>
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

/** Every requested field: a missing scalar is null, a missing list `[]`. */
function encodeInstance(
  found: Readonly<Record<string, readonly ValueHit[]>>,
  { fields }: StructureQuery,
  shapeHit: ShapeHit,
): JsonObject {
  const encoded = emptyObject();
  for (const field of fields) {
    const hits = foundUnder(found, field.name).flatMap((hit) => allowed(hit, field));
    const [best] = mostConfident(hits);
    encoded[field.name] = field.dtype === 'list' ? hits.map(shapeHit) : best ? shapeHit(best) : null;
  }
  return encoded;
}

/** Drops hits outside the choices. A choice has no span. */
function allowed({ text, confidence, ...span }: ValueHit, { choices }: FieldQuery): readonly ValueHit[] {
  if (!choices) return [{ text, confidence, ...span }];
  return choices.includes(text) ? [{ text, confidence }] : [];
}

function encodeRelations(
  found: InferResult['relations'],
  relations: readonly RelationQuery[],
  { includeConfidence, includeSpans }: Shape,
  shapeHit: ShapeHit,
): JsonObject {
  const plain = !includeConfidence && !includeSpans;
  const encoded = emptyObject();
  for (const { name } of relations)
    encoded[name] = foundUnder(found, name).map(({ head, tail }): Json => {
      const ends = [shapeHit(head), shapeHit(tail)] as const;
      return plain ? [...ends] : { head: ends[0], tail: ends[1] };
    });
  return encoded;
}

/** Six digits: more are noise, and cost room in every record. */
export const rounded = (confidence: number): number => Math.round(confidence * 1e6) / 1e6;
