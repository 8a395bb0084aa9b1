import type { Json, JsonObject } from '#domain/json.js';
import { fieldValueOf } from './field-values.js';
import { Search } from './search.js';
import type { ResolvedSpan } from './spans.js';

/** A stretch of a text in UTF-16 code units (JavaScript string indices), end exclusive. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** An instance of a structure, with the places of its values. */
export interface PlacedRecord {
  readonly name: string;
  readonly fields: readonly PlacedField[];
}

interface PlacedField {
  readonly name: string;
  /** Whether the row has a list there; a scalar has one value. */
  readonly isList: boolean;
  readonly values: readonly PlacedValue[];
  /** Choices that nothing in the text is known to say. */
  readonly choices?: readonly string[];
}

interface PlacedValue extends Stretch {
  /** What the stretch says, if that is one of several choices. */
  readonly choice?: string;
}

/** A directed relation between two stretches. */
export interface PlacedRelation {
  readonly name: string;
  readonly head: Stretch;
  readonly tail: Stretch;
}

/** Bounds the places of one value, so that a single letter in a long text does not take long. */
const MAX_OCCURRENCES = 200;

/**
 * Finds the values of `json_structures` in the text. A value that occurs once has that place; one that occurs more
 * often gets a place that no other value has, as near as possible to the rest of its record. Whole words are preferred:
 * "2" does not match in "12".
 * @param instances as validated: `[{<structure>: {<field>: value or list of values}}]`
 */
export function placeRecords(text: string, instances: readonly Json[]): PlacedRecord[] {
  const occurrences = new Occurrences(text);
  const taken = new Set<string>();
  return (instances as readonly JsonObject[]).flatMap((instance) =>
    Object.entries(instance).map(([name, fields]) => placeRecord(name, fields as JsonObject, occurrences, taken)),
  );
}

function placeRecord(name: string, fields: JsonObject, occurrences: Occurrences, taken: Set<string>): PlacedRecord {
  const given = Object.entries(fields).map(([field, value]) => ({
    name: field,
    isList: Array.isArray(value),
    values: ((Array.isArray(value) ? value : [value]) as readonly Json[]).map((each) => {
      const { text, choice } = fieldValueOf(each);
      // A choice that stands in the text as it is written is said there.
      return { text: text ?? (Array.isArray(value) || occurrences.hasWord(choice!) ? choice : null), choice };
    }),
  }));
  // Values with a certain place help to place the others: near them.
  const anchors = given
    .flatMap(({ values }) => values)
    .flatMap(({ text: value }) => (value === null ? [] : [occurrences.of(value)]))
    .flatMap((places) => (places.length === 1 ? places : []));
  const place = (value: string): Stretch => {
    const places = occurrences.of(value);
    const free = places.filter((each) => !taken.has(keyOf(each)));
    const chosen = nearest(occurrences, free.length > 0 ? free : places, anchors);
    taken.add(keyOf(chosen));
    if (anchors.length < MAX_ANCHORS) anchors.push(chosen);
    return chosen;
  };
  return {
    name,
    fields: given.map(({ values, ...field }) => {
      const choices = values.flatMap(({ text: value, choice }) => (value === null ? [choice!] : []));
      return {
        ...field,
        values: values.flatMap(({ text: value, choice }) =>
          value === null ? [] : [{ ...place(value), ...(choice !== null && { choice }) }],
        ),
        ...(choices.length > 0 && { choices }),
      };
    }),
  };
}

/** Values of a record that are considered for placing one more. */
const MAX_ANCHORS = 20;

function nearest(occurrences: Occurrences, places: readonly Stretch[], anchors: readonly Stretch[]): Stretch {
  const distance = (place: Stretch) =>
    anchors.reduce((least, anchor) => Math.min(least, occurrences.distance(place, anchor)), Infinity);
  return places.reduce((best, place) => (distance(place) < distance(best) ? place : best));
}

const keyOf = ({ start, end }: Stretch): string => `${start} ${end}`;

/**
 * Finds the ends of `relations` in the text: of several occurrences the two that are nearest to each other, and the row's own
 * entities before any other stretch.
 * @param instances as validated: `[{<relation>: {head, tail}}]`
 */
export function placeRelations(
  text: string,
  instances: readonly Json[],
  entities: readonly ResolvedSpan[],
): PlacedRelation[] {
  const occurrences = new Occurrences(text);
  const known = new Set(entities.map(keyOf));
  const placesOf = (value: string) => {
    const places = occurrences.of(value);
    const entityPlaces = known.size === 0 ? [] : places.filter((place) => known.has(keyOf(place)));
    return entityPlaces.length > 0 ? entityPlaces : places;
  };
  return (instances as readonly JsonObject[]).flatMap((instance) =>
    Object.entries(instance).map(([name, ends]) => {
      const { head, tail } = ends as { readonly head: string; readonly tail: string };
      return { name, ...nearestPair(occurrences, placesOf(head), placesOf(tail)) };
    }),
  );
}

/** Two different stretches if there are any; both lists are in text order. */
function nearestPair(occurrences: Occurrences, heads: readonly Stretch[], tails: readonly Stretch[]) {
  let best = { head: heads[0]!, tail: tails[0]!, distance: Infinity };
  let after = 0;
  for (const head of heads) {
    while (after < tails.length && tails[after]!.start <= head.start) after += 1;
    for (const tail of tails.slice(Math.max(0, after - 2), after + 1)) {
      const distance = keyOf(head) === keyOf(tail) ? Infinity : occurrences.distance(head, tail);
      if (distance < best.distance) best = { head, tail, distance };
    }
  }
  return { head: best.head, tail: best.tail };
}

/** Places of a value in a text, in order; only those at the edges of words if there are any. */
class Occurrences {
  private readonly known = new Map<string, readonly Stretch[]>();

  constructor(private readonly text: string) {}

  /** At least one for a validated stretch; none for a choice that does not stand in the text. */
  of(value: string): readonly Stretch[] {
    let places = this.known.get(value);
    if (places === undefined) this.known.set(value, (places = this.find(value)));
    return places;
  }

  /** Whether a value stands in the text as a whole word or more. */
  hasWord(value: string): boolean {
    const [first] = this.of(value);
    return first !== undefined && this.isWhole(first);
  }

  /** Characters between two stretches; punctuation between them adds distance. */
  distance(a: Stretch, b: Stretch): number {
    const [from, to] = a.start < b.start ? [a.end, b.start] : [b.end, a.start];
    const between = to - from;
    if (between <= 0 || between > MAX_DIVIDED) return Math.max(0, between);
    const marks = this.text.slice(from, to);
    if (/[.!?;\n\r。！？；]/u.test(marks)) return between + MAX_DIVIDED;
    return /[,:、，]/u.test(marks) ? between + COMMA : between;
  }

  private find(value: string): readonly Stretch[] {
    const search = new Search(this.text, value);
    const places: Stretch[] = [];
    const whole: Stretch[] = [];
    for (
      let start = search.from(0);
      start >= 0 && whole.length < MAX_OCCURRENCES;
      start = search.from(start + value.length)
    ) {
      const place = { start, end: start + value.length };
      if (this.isWhole(place)) whole.push(place);
      if (places.length < MAX_OCCURRENCES) places.push(place);
    }
    return whole.length > 0 ? whole : places;
  }

  private isWhole({ start, end }: Stretch): boolean {
    return !this.isInWord(start) && !this.isInWord(end);
  }

  /** Whether a place lies between two characters of one word. */
  private isInWord(at: number): boolean {
    return WORD.test(this.text.charAt(at - 1)) && WORD.test(this.text.charAt(at));
  }
}

/** Beyond this distance in characters no mark is searched; one between two sentences counts as this distance. */
const MAX_DIVIDED = 300;
const COMMA = 20;
const WORD = /[\p{L}\p{M}\p{N}]/u;
