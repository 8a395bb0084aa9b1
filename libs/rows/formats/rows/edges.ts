import { CodePoints } from '#domain/code-points.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from './kinds.js';

/**
 * Characters that stand beside a span, not in it: white space, control characters, those without width, and the mark that
 * SentencePiece puts in front of words (U+2581). A joiner behind a vowel sign is part of its letter.
 */
const BLANK = /[\s\u0000-\u001f\u007f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u2581]/u;
const JOINER = '\u200d';
/** Whether an edge may be blank: most spans are between letters. */
const MAY_BE_BLANK = /^[^\p{L}\p{N}]|[^\p{L}\p{N}]$/u;

/** UTF-16 units before and after the part of a text that is no blank; all of them are before if there is none. */
export function edgesOf(text: string): { readonly before: number; readonly after: number } {
  if (!MAY_BE_BLANK.test(text)) return { before: 0, after: 0 };
  let [start, end] = [0, text.length];
  while (start < end && BLANK.test(text[start]!)) start += 1;
  while (end > start && BLANK.test(text[end - 1]!) && !isOfLetter(text, end - 1)) end -= 1;
  return { before: start, after: text.length - end };
}

const isOfLetter = (text: string, at: number): boolean => text[at] === JOINER && /\p{M}/u.test(text.charAt(at - 1));

const inner = (text: string, { before, after }: ReturnType<typeof edgesOf>): string =>
  text.slice(before, text.length - after);

interface Trimmed {
  readonly row: JsonObject;
  readonly trimmed: number;
  /** Entities of blanks alone, which were left out. */
  readonly blank: number;
}

/**
 * A row in the stored form whose entities, values of structures and ends of relations have no blanks at their edges. Requests are
 * answered without them, so that a span with some would be judged as wrong. The row itself if it has none.
 */
export function withoutEdges(row: JsonObject): Trimmed {
  const { text, entities, json_structures: structures, relations } = row;
  const counts = { trimmed: 0, blank: 0 };
  if (typeof text !== 'string') return { row, ...counts };
  const kept = Array.isArray(entities) ? withoutEdgesOfEntities(text, entities as readonly Json[], counts) : entities;
  const heads = {
    ...(kept !== entities && { entities: kept }),
    ...trimmedTexts('json_structures', structures, counts),
    ...trimmedTexts('relations', relations, counts),
  };
  const isChanged = Object.keys(heads).length > 0;
  return { row: isChanged ? { ...row, ...heads } : row, ...counts };
}

interface Counts {
  trimmed: number;
  blank: number;
}

function withoutEdgesOfEntities(text: string, entities: readonly Json[], counts: Counts): readonly Json[] & Json {
  let kept: Json[] | null = null;
  let points: CodePoints | null = null;
  for (const [index, entity] of entities.entries()) {
    const span = spanOf(entity);
    const edges = span === null ? null : edgesOf(span);
    if (span === null || edges === null || edges.before + edges.after === 0) {
      kept?.push(entity);
      continue;
    }
    kept ??= entities.slice(0, index);
    if (edges.before === span.length) counts.blank += 1;
    else {
      counts.trimmed += 1;
      kept.push(trimmedEntity(entity, span, edges, text, (points ??= new CodePoints(text))));
    }
  }
  return kept ?? entities;
}

function spanOf(entity: Json): string | null {
  const span = Array.isArray(entity)
    ? (entity as readonly Json[])[0]
    : isObject(entity)
      ? (entity.text ?? entity.span)
      : null;
  return typeof span === 'string' && span !== '' ? span : null;
}

function trimmedEntity(
  entity: Json,
  span: string,
  edges: ReturnType<typeof edgesOf>,
  text: string,
  points: CodePoints,
): Json {
  const stretch = inner(span, edges);
  if (Array.isArray(entity)) return [stretch, ...(entity as readonly Json[]).slice(1)];
  const { start, end, ...others } = entity as JsonObject;
  const before = [...span.slice(0, edges.before)].length;
  const after = [...span.slice(span.length - edges.after)].length;
  const isAt = (place: number, of: string) => text.startsWith(of, points.utf16Index(place) ?? text.length);
  // Tokenizers mark a word that begins at its first letter, too.
  const isMarked = typeof start === 'number' && !isAt(start, span) && isAt(start, stretch);
  return {
    ...others,
    ...(others.text === undefined || others.text === null ? { span: stretch } : { text: stretch }),
    ...(start !== undefined && { start: typeof start === 'number' && !isMarked ? start + before : start }),
    ...(end !== undefined && { end: typeof end === 'number' && !isMarked ? end - after : end }),
  };
}

/** Texts at any depth below a head; of a choice only the stretch that says it. */
function trimmedTexts(head: string, value: Json | undefined, counts: Counts): JsonObject {
  if (value === undefined) return {};
  const trimmed = withinTexts(value, counts);
  return trimmed === value ? {} : { [head]: trimmed };
}

function withinTexts(value: Json, counts: Counts): Json {
  if (typeof value === 'string') {
    const edges = edgesOf(value);
    if (edges.before + edges.after === 0 || edges.before === value.length) return value;
    counts.trimmed += 1;
    return inner(value, edges);
  }
  if (Array.isArray(value)) {
    const given = value as readonly Json[];
    const list = given.map((each) => withinTexts(each, counts));
    return list.some((each, index) => each !== given[index]) ? list : given;
  }
  if (!isObject(value)) return value;
  const isChoice = typeof value.value === 'string';
  const entries = Object.entries(value).map(([key, field]): [string, Json | undefined] => [
    key,
    field === undefined || (isChoice && key !== 'text') ? field : withinTexts(field, counts),
  ]);
  return entries.some(([key, field]) => field !== value[key]) ? Object.fromEntries(entries) : value;
}
