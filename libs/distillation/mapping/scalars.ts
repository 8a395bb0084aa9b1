import { DATE_FORMS, readForm } from './dates.js';
import { NumberText, type SourcedJson } from './json-text.js';
import { DISTINCT, KNOWN, mostOf, SEEN } from './labels.js';
import type { FieldNode } from './mapping.js';
import { canBecome, type Notes, type Place } from './notes.js';
import { itemSchema, valuesIn } from './schema.js';
import { fitWriter, locate, writeSpan, type LocatedValue } from './spans.js';
import { absentForm, isAbsent, sourceOf, textOfScalar, type PlacedValue, type Scalar } from './values.js';

/** Share of the texts in which a value must stand, and so much more than in the texts of other calls. */
const STANDS = 0.95;
const STANDS_MOSTLY = 0.8;
const MORE_THAN_CHANCE = 0.5;
/** Classes that may be numbers or dates. */
const MAX_COUNTED = 12;
/** Values that are looked up in texts of other calls. */
const MOST_OTHERS = 300;

interface PlacedScalar extends PlacedValue {
  readonly value: Scalar;
}

/** What is learned of scalars, or of lists of them. */
export function scalarNode(values: readonly PlacedValue[], place: Place, notes: Notes, isList: boolean): FieldNode {
  const present = values.flatMap((each) => {
    if (isAbsent(each.value)) return [];
    return isList
      ? (each.value as readonly SourcedJson[]).map((value) => ({ ...each, value }) as PlacedScalar)
      : [each as PlacedScalar];
  });
  const isBoolean = present.every(({ value }) => typeof value === 'boolean');
  const located = isBoolean ? [] : present.flatMap(locatedOf);
  const share = located.length / present.length;
  // A choice of a list would need the stretch that says it.
  const allowed = valuesIn(isList ? itemSchema(place.schema) : place.schema);
  const listed = isList && place.isInRecord ? null : listedClasses(present, allowed);
  const any = isList && place.isInRecord ? null : (listed ?? classesOf(isList ? present : values, MOSTLY));
  const [asSpan, asClass] = isList ? (['spans', 'classes'] as const) : (['span', 'class'] as const);
  const choices = [...(share >= STANDS_MOSTLY ? [asSpan] : []), ...(any === null ? [] : [asClass])];
  canBecome(notes, place.path, choices);
  const wanted = choices.find((kind) => kind === notes.wanted.get(place.path));
  const inClasses = (found: Readonly<Record<string, string>>): FieldNode => ({
    ...{ kind: 'class', field: place.prefix || 'label', isList, absent: absentForm(values) },
    values: found === listed && !isList && hasNull(values) ? { ...listed, null: 'null' } : found,
  });
  if (wanted === asSpan) return spanNode(located, values, present, place, isList);
  if (any !== null && (wanted === asClass || listed !== null)) return inClasses(any);
  if (share >= STANDS_MOSTLY && share - chance(present, values) >= MORE_THAN_CHANCE) {
    if (share < STANDS)
      notes.ask.push({ path: place.path, reason: `${Math.round(share * 100)}% of its values stand in the text` });
    return spanNode(located, values, present, place, isList);
  }
  const classes = any && classesOf(isList ? present : values, isBoolean ? ANY_FEW : PROPOSED);
  if (classes !== null) return inClasses(classes);
  const reason =
    share >= STANDS_MOSTLY
      ? 'its values stand in any text'
      : `its values do not stand in the text (${Math.round(share * 100)}% do), and are not a few`;
  notes.unmapped.push({ path: place.path, reason });
  return { kind: 'unmapped', reason, absent: absentForm(values) };
}

function locatedOf({ value, text, year }: PlacedScalar): readonly LocatedValue[] {
  const own = textOfScalar(value);
  const span = locate(own, text);
  return span === null ? [] : [{ value: own, span, year }];
}

/** Share of the values that stand in the text of another call, which may have none. */
function chance(present: readonly PlacedScalar[], values: readonly PlacedValue[]): number {
  const step = Math.max(1, Math.floor(present.length / MOST_OTHERS));
  const looked = present.filter((_, at) => at % step === 0);
  const found = looked.filter(({ value, call }, at) => {
    const from = Math.floor((at * values.length) / looked.length) + 1;
    const other = [...values.slice(from), ...values.slice(0, from)].find((each) => each.call !== call);
    return other !== undefined && locate(textOfScalar(value), other.text) !== null;
  });
  return found.length / looked.length;
}

function spanNode(
  located: readonly LocatedValue[],
  values: readonly PlacedValue[],
  present: readonly PlacedScalar[],
  place: Place,
  isList: boolean,
): FieldNode {
  const { writer } = fitWriter(located);
  const seen = Map.groupBy(
    located.filter(({ value, span, year }) => writeSpan(writer, span, year) !== value),
    ({ span }) => span.toLowerCase(),
  );
  // A value seen twice or more wins; a single one may be a slip of the teacher.
  const exceptions = Object.fromEntries(
    [...seen].flatMap(([span, all]) => (all.length > 1 ? [[span, mostOf(all.map(({ value }) => value))]] : [])),
  );
  const isNumber = present.filter(({ value }) => value instanceof NumberText).length * 2 > present.length;
  return {
    kind: 'span',
    field: place.prefix || 'value',
    isList,
    isNumber,
    writer,
    exceptions,
    absent: absentForm(values),
  };
}

/** All values that the request's schema lists, if nearly all answers keep to it; null if it lists none. */
function listedClasses(
  present: readonly PlacedScalar[],
  listed: readonly string[] | null,
): Readonly<Record<string, string>> | null {
  const known = present.filter(({ value }) => listed?.includes(sourceOf(value))).length;
  if (listed === null || known < KNOWN * present.length) return null;
  return Object.fromEntries(listed.map((source) => [labelOf(source), source]));
}

/** Whether null is an answer like others, not what stands for one that is missing. */
const hasNull = (values: readonly PlacedValue[]): boolean => values.some(({ value }) => value === null);

/** When values are classes. */
interface ClassRules {
  /** Share of the values that are seen often enough. */
  readonly known: number;
  /** Values for each class. */
  readonly distinct: number;
  /** Classes that may be numbers or dates: many are computed, and a model would learn those that came before. */
  readonly counted: number;
}
const PROPOSED: ClassRules = { known: KNOWN, distinct: DISTINCT, counted: MAX_COUNTED };
const ANY_FEW: ClassRules = { known: 0, distinct: 0, counted: MAX_COUNTED };
/** A person may want them. */
const MOSTLY: ClassRules = { known: STANDS_MOSTLY, distinct: 2, counted: Infinity };

/** Labels to the JSON that they stand for; null if the values are no classes. */
function classesOf(
  values: readonly PlacedValue[],
  { known: share, distinct, counted: most }: ClassRules,
): Readonly<Record<string, string>> | null {
  const written = Map.groupBy(
    values.flatMap(({ value }) => (value === undefined || value === '' ? [] : [sourceOf(value as Scalar)])),
    (source) => source,
  );
  const known = [...written].filter(([, all]) => all.length >= SEEN);
  const total = [...written.values()].reduce((sum, all) => sum + all.length, 0);
  const right = known.reduce((sum, [, all]) => sum + all.length, 0);
  const counted = known.filter(([source]) => !/^["tfn]/.test(source) || isDate(source)).length;
  if (known.length < 2 || counted > most || right < share * total || known.length * distinct > total) return null;
  return Object.fromEntries(known.map(([source]) => [labelOf(source), source]));
}

const isDate = (source: string): boolean => DATE_FORMS.some((form) => readForm(labelOf(source), form) !== null);

/** The label of a value: texts as they are, others as JSON. */
export const labelOf = (source: string): string => (source.startsWith('"') ? (JSON.parse(source) as string) : source);
