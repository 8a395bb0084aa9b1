import type { Example, Span, Stretch } from '../../engine.js';

/** A stretch that relations may join. */
export interface Mention extends Stretch {
  /** A label of the mention tagger. */
  readonly type: string;
}

/**
 * The types of the ends of relations. If the rows have entities these are their labels. Otherwise the ends of relations
 * form types: `works_for`'s heads and `lives_in`'s heads are one type once some stretch is both.
 */
export interface MentionTypes {
  /** The type of a relation's head or tail that is no entity of its row. */
  typeOf(relation: string, end: End): string;
}

type End = 'head' | 'tail';
const ENDS: readonly End[] = ['head', 'tail'];

/** Share of the stretches of two ends that makes them one type. */
const SHARE_OF_ONE_TYPE = 0.05;

/** The tagger's label for an entity label of the rows, and for a type that they do not name. */
export const typeOfName = (label: string): string => JSON.stringify({ entity: label });
const unnamedType = (end: string): string => JSON.stringify({ end });

/** The entity label of a type; null for one that no row names. */
export const nameOfType = (type: string): string | null =>
  (JSON.parse(type) as { readonly entity?: string }).entity ?? null;

export function mentionTypes(rows: readonly Example[]): MentionTypes {
  const ends = new Map<string, { count: number; readonly labels: Map<string, number> }>();
  const shared = new Map<string, number>();
  for (const row of rows) {
    const labels = labelsByPlace(row.entities ?? []);
    const byPlace = new Map<string, Set<string>>();
    for (const relation of row.relations ?? [])
      for (const end of ENDS) {
        const key = keyOf(relation.name, end);
        const place = placeOf(relation[end]);
        const known = ends.get(key) ?? { count: 0, labels: new Map<string, number>() };
        ends.set(key, known);
        known.count += 1;
        const label = labels.get(place);
        if (label !== undefined) known.labels.set(label, (known.labels.get(label) ?? 0) + 1);
        byPlace.set(place, (byPlace.get(place) ?? new Set()).add(key));
      }
    for (const keys of byPlace.values())
      for (const a of keys)
        for (const b of keys) if (a < b) shared.set(`${a} ${b}`, (shared.get(`${a} ${b}`) ?? 0) + 1);
  }
  const types = new Map<string, string>();
  const keys = [...ends.keys()].sort();
  for (const key of keys) {
    // An end has the type of the first one before it with which it shares stretches.
    const like = keys.find(
      (other) =>
        other < key &&
        (shared.get(`${other} ${key}`) ?? 0) >=
          SHARE_OF_ONE_TYPE * Math.min(ends.get(key)!.count, ends.get(other)!.count) &&
        shared.has(`${other} ${key}`),
    );
    const [label] = [...ends.get(key)!.labels].sort(([a, many], [b, most]) => most - many || (a < b ? -1 : 1))[0] ?? [];
    types.set(
      key,
      label === undefined ? (like === undefined ? unnamedType(key) : types.get(like)!) : typeOfName(label),
    );
  }
  return { typeOf: (relation, end) => types.get(keyOf(relation, end)) ?? unnamedType(keyOf(relation, end)) };
}

const keyOf = (relation: string, end: End): string => JSON.stringify([relation, end]);
export const placeOf = ({ start, end }: Stretch): string => `${start} ${end}`;

const labelsByPlace = (entities: readonly Span[]): ReadonlyMap<string, string> =>
  new Map(entities.map((entity) => [placeOf(entity), entity.label]));

/** The mentions of a row, in text order: its entities, and the ends of its relations. One stretch is one mention. */
export function mentionsOf({ entities = [], relations = [] }: Example, types: MentionTypes): Mention[] {
  const mentions = new Map<string, Mention>();
  for (const { start, end, label } of entities)
    mentions.set(placeOf({ start, end }), { start, end, type: typeOfName(label) });
  for (const relation of relations)
    for (const end of ENDS) {
      const place = placeOf(relation[end]);
      if (!mentions.has(place)) mentions.set(place, { ...relation[end], type: types.typeOf(relation.name, end) });
    }
  return [...mentions.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Whether the entities of each row are exactly the ends of its relations, one stretch each and none inside another. */
export function areMentions(rows: readonly Example[]): boolean {
  return rows.every(({ entities = [], relations = [] }) => {
    const ends = entities.toSorted((a, b) => a.start - b.start);
    if (ends.some(({ start, end }, index) => start === end || start < (ends[index - 1]?.end ?? 0))) return false;
    const places = new Set(ends.map(placeOf));
    return relations.every(({ head, tail }) => places.has(placeOf(head)) && places.has(placeOf(tail)));
  });
}

/** Rows for a tagger of mentions. */
export const taggedRows = (rows: readonly Example[], types: MentionTypes): Example[] =>
  rows.map((row) => ({
    text: row.text,
    entities: mentionsOf(row, types).map(({ start, end, type }) => ({ start, end, label: type })),
  }));
