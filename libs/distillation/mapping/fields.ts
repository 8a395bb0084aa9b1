import { isSourcedList, isSourcedObject, type SourcedJson, type SourcedObject } from './json-text.js';
import { freeName, type FieldNode } from './mapping.js';
import { canBecome, type Notes, type Place } from './notes.js';
import { scalarNode } from './scalars.js';
import { fieldSchema, fieldsIn, itemSchema } from './schema.js';
import { ONE_LINE, writeJson } from './style.js';
import { absentForm, isAbsent, isScalar, type PlacedValue } from './values.js';

/** What is learned of the values at one place of the answers. */
export function fieldNode(values: readonly PlacedValue[], place: Place, notes: Notes): FieldNode {
  const present = values.filter(({ value }) => !isAbsent(value));
  const sources = new Set(values.map(({ value }) => (value === undefined ? '' : writeJson(value, ONE_LINE))));
  if (sources.size === 1 && values.length > 1 && values[0]!.value !== undefined) {
    canBecome(notes, place.path, ['constant']);
    return constant(values[0]!.value);
  }
  if (present.every(({ value }) => isSourcedObject(value))) return objectNode(values, present, place, notes);
  if (present.every(({ value }) => isSourcedList(value))) return listNode(values, present, place, notes);
  if (present.every(({ value }) => isScalar(value))) return scalarNode(values, place, notes, false);
  return unmapped(values, place, notes, 'its values are of several types');
}

function constant(value: SourcedJson): FieldNode {
  return { kind: 'constant', source: writeJson(value, ONE_LINE) };
}

function unmapped(values: readonly PlacedValue[], { path }: Place, notes: Notes, reason: string): FieldNode {
  canBecome(notes, path, []);
  notes.unmapped.push({ path, reason });
  return { kind: 'unmapped', reason, absent: absentForm(values) };
}

function objectNode(
  values: readonly PlacedValue[],
  present: readonly PlacedValue[],
  place: Place,
  notes: Notes,
): FieldNode {
  canBecome(notes, place.path, []);
  const keys = keysOf(
    present.map(({ value }) => value as SourcedObject),
    fieldsIn(place.schema),
  );
  if (areValues(keys, present, fieldsIn(place.schema)))
    return unmapped(values, place, notes, 'its keys differ from answer to answer');
  const fields = keys.flatMap((key) => {
    const own = present.map((each) => ({ ...each, value: (each.value as SourcedObject)[key] }));
    const inner = {
      ...{ path: joined(place.path, key), prefix: joined(place.prefix, key), isInRecord: place.isInRecord },
      schema: fieldSchema(place.schema, key),
    };
    const wanted = notes.wanted.get(inner.path) ?? notes.wanted.get(`${inner.path}[]`);
    const isLearned = wanted !== 'null' && wanted !== 'omitted';
    const node = fieldNode(own, inner, isLearned ? notes : { ...notes, unmapped: [], ask: [] });
    if (wanted === 'omitted') return [];
    return [{ key, node: isLearned ? node : ({ kind: 'unmapped', reason: 'as is wanted' } as const) }];
  });
  return { kind: 'object', fields, isOptional: present.length < values.length, absent: absentForm(values) };
}

function listNode(
  values: readonly PlacedValue[],
  present: readonly PlacedValue[],
  place: Place,
  notes: Notes,
): FieldNode {
  const items = present.flatMap((each) => (each.value as readonly SourcedJson[]).map((value) => ({ ...each, value })));
  if (items.every(({ value }) => isScalar(value))) return scalarNode(values, place, notes, true);
  if (place.isInRecord) return unmapped(values, place, notes, 'is a list within the objects of a list');
  if (!items.every(({ value }) => isSourcedObject(value)))
    return unmapped(values, place, notes, 'is a list of several types');
  const inner: Notes = { ...notes, unmapped: [], ask: [] };
  const item = fieldNode(
    items,
    { path: `${place.path}[]`, prefix: '', isInRecord: true, schema: itemSchema(place.schema) },
    inner,
  );
  notes.unmapped.push(...inner.unmapped);
  notes.ask.push(...inner.ask);
  const absent = absentForm(values.some(({ value }) => isAbsent(value)) ? values : [{ ...values[0]!, value: [] }]);
  const entity = entityOf(item);
  if (entity === null && !hasSpan(item))
    return unmapped(values, place, notes, 'no value of its objects stands in the text');
  canBecome(notes, `${place.path}[]`, [entity === null ? 'records' : 'entities']);
  if (entity !== null) return { kind: 'entities', ...entity, item, absent };
  return { kind: 'records', structure: freeName(place.path), item, absent };
}

/** The keys of objects that are entities: one stretch of the text and its kind. */
function entityOf(item: FieldNode): { readonly span: string; readonly label: string } | null {
  if (item.kind !== 'object') return null;
  const learned = item.fields.filter(({ node }) => node.kind !== 'constant');
  const span = learned.find(({ node }) => node.kind === 'span' && !node.isList);
  const label = learned.find(({ node }) => node.kind === 'class' && !node.isList);
  return span && label && learned.length === 2 ? { span: span.key, label: label.key } : null;
}

function hasSpan(node: FieldNode): boolean {
  return node.kind === 'span' || (node.kind === 'object' && node.fields.some((field) => hasSpan(field.node)));
}

/** Fewer objects say nothing of their keys. */
const MIN_OBJECTS = 10;
/** A key that no larger share of the objects has is rare. */
const RARE = 0.05;

/** Whether the keys of objects are values, as names of people are: most are rare. They are no fields, and no reason may name them. */
function areValues(keys: readonly string[], present: readonly PlacedValue[], declared: readonly string[]): boolean {
  if (present.length < MIN_OBJECTS) return false;
  const most = Math.max(1, RARE * present.length);
  const isRare = (key: string) =>
    !declared.includes(key) && present.filter(({ value }) => Object.hasOwn(value as SourcedObject, key)).length <= most;
  return keys.filter(isRare).length > keys.length / 2;
}

const joined = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/**
 * The keys of objects in an order that all of them keep. If there is none, a key that only some have stands behind the one before it there.
 * @param wanted the keys in the order of the request's schema, which holds if the objects follow it
 */
function keysOf(objects: readonly SourcedObject[], wanted: readonly string[]): readonly string[] {
  const seen = new Set(objects.flatMap((object) => Object.keys(object)));
  const isFollowed = objects.every((object) => isInOrder(Object.keys(object), wanted));
  if (isFollowed) return wanted.filter((key) => seen.has(key));
  const order: string[] = [];
  const before = new Map([...seen].map((key) => [key, new Set<string>()]));
  for (const keys of new Set(objects.map((object) => JSON.stringify(Object.keys(object))))) {
    (JSON.parse(keys) as readonly string[]).forEach((key, at, all) => {
      if (at > 0) before.get(key)!.add(all[at - 1]!);
      if (!order.includes(key)) order.splice(at === 0 ? 0 : order.indexOf(all[at - 1]!) + 1, 0, key);
    });
  }
  const kept: string[] = [];
  while (kept.length < order.length) {
    const next = order.find((key) => !kept.includes(key) && [...before.get(key)!].every((each) => kept.includes(each)));
    if (next === undefined) return order;
    kept.push(next);
  }
  return kept;
}

const isInOrder = (keys: readonly string[], wanted: readonly string[]): boolean => {
  const places = keys.map((key) => wanted.indexOf(key));
  return places.every((place, at) => place >= 0 && (at === 0 || place > places[at - 1]!));
};
