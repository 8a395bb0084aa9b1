import { isRecord, type Fields } from '../json.js';
import { positionsIn } from '../positions.js';
import { NOTHING, type Field, type Scheme, type Task } from '../scheme/scheme.js';
import type { Span } from '../spans.js';
import { type Annotation, type Entry, type Relation, type Stretch, type Value } from './annotation.js';

/** The key of relations in an answer. */
export const RELATIONS = 'relation_extraction';

/**
 * The schema of a call for a trained model's own labels, read from the answer.
 * @param own all labels of the model, of any head
 * @param tasks its classification tasks, if it learned several by name
 */
export function schemeIn(output: unknown, own: readonly string[] = [], tasks: readonly Task[] = []): Scheme {
  if (!isRecord(output)) return NOTHING;
  const { entities, [RELATIONS]: relations, classification, ...rest } = output;
  const asked = tasks.filter(({ name }) => output[name] !== undefined);
  const structures = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !asked.some((task) => task.name === name)),
  );
  const named = (value: unknown) => Object.keys(isRecord(value) ? value : {}).map((name) => ({ name }));
  const others = new Set([...named(entities), ...named(relations)].map(({ name }) => name));
  const chosen = labelsIn(classification);
  const classes = own.filter((label) => !others.has(label) && !label.includes('.'));
  return {
    entities: entities === undefined ? null : named(entities),
    relations: relations === undefined ? null : named(relations),
    tasks: [
      ...(classification === undefined
        ? []
        : [
            {
              name: 'classification',
              labels: [...new Set([...classes, ...chosen])],
              multiple: Array.isArray(classification),
            },
          ]),
      ...asked,
    ],
    structures: Object.entries(structures).map(([name, records]) => ({ name, fields: fieldsOf(name, records, own) })),
  };
}

/** Fields of the records of an answer, and those that the model knows. */
function fieldsOf(structure: string, records: unknown, own: readonly string[]): readonly Field[] {
  const all = listOf(records).filter(isRecord);
  const known = own
    .filter((label) => label.startsWith(`${structure}.`))
    .map((label) => label.slice(structure.length + 1));
  const names = new Set([...known, ...all.flatMap((record) => Object.keys(record))]);
  return [...names].map((name) => ({ name, isList: all.some((record) => Array.isArray(record[name])) }));
}

/** An encoder's answer to one text as an annotation. Entities and relations without a place in the text are left out. */
export function fromOutput(text: string, output: unknown, scheme: Scheme): Annotation {
  const found = isRecord(output) ? output : {};
  const place = placing(text);
  const relations = isRecord(found[RELATIONS]) ? found[RELATIONS] : {};
  return {
    spans: spansIn(text, found['entities']),
    classes: Object.fromEntries(scheme.tasks.map(({ name }) => [name, labelsIn(found[name])])),
    records: scheme.structures.flatMap(({ name, fields }) =>
      listOf(found[name])
        .filter(isRecord)
        .map((record): Entry => {
          const values = fields.map((field) => {
            const all = listOf(record[field.name]).flatMap((value): Value[] => valueOf(value, place, !!field.choices));
            return [field.name, all] as const;
          });
          return { structure: name, fields: Object.fromEntries(values) };
        }),
    ),
    relations: Object.entries(relations).flatMap(([type, pairs]) =>
      listOf(pairs).flatMap((pair): Relation[] => {
        const ends = Array.isArray(pair)
          ? { head: pair[0] as unknown, tail: pair[1] as unknown }
          : isRecord(pair)
            ? pair
            : {};
        const [head, tail] = [place(ends['head']), place(ends['tail'])];
        return head && tail ? [{ type, head, tail }] : [];
      }),
    ),
  };
}

/** The entities of an answer, in UTF-16 code units. */
export function spansIn(text: string, entities: unknown): readonly Span[] {
  if (!isRecord(entities)) return [];
  const place = placing(text);
  return Object.entries(entities).flatMap(([label, hits]) =>
    listOf(hits).flatMap((hit): Span[] => {
      const at = place(hit);
      const confidence = isRecord(hit) ? hit['confidence'] : undefined;
      return at ? [{ ...at, label, ...(typeof confidence === 'number' && { confidence }) }] : [];
    }),
  );
}

/**
 * An annotation as the answer that the call should have had, for `corrected_output`.
 * @param output the answer that it had, whose shapes are kept
 */
export function toOutput(
  text: string,
  { spans, classes, records, relations }: Annotation,
  scheme: Scheme,
  output: unknown,
) {
  const { points } = positionsIn(text);
  const hit = ({ start, end }: Stretch) => ({ text: text.slice(start, end), start: points(start), end: points(end) });
  const before = isRecord(output) ? output : {};
  const value = ({ text: chosen, at }: Value) => (at ? hit(at) : chosen);
  return {
    ...(scheme.entities && {
      entities: Object.fromEntries(
        scheme.entities.map(({ name }) => [name, spans.filter(({ label }) => label === name).map(hit)]),
      ),
    }),
    ...Object.fromEntries(
      scheme.tasks.flatMap(({ name, multiple }): [string, unknown][] => {
        const labels = classes[name] ?? [];
        if (multiple || Array.isArray(before[name])) return [[name, labels]];
        return labels.length > 0 ? [[name, labels[0]]] : [];
      }),
    ),
    ...Object.fromEntries(
      scheme.structures.map(({ name, fields }) => [
        name,
        records
          .filter(({ structure }) => structure === name)
          .map((record) =>
            Object.fromEntries(
              fields.map((field) => {
                const values = (record.fields[field.name] ?? []).map(value);
                return [field.name, field.isList ? values : (values[0] ?? null)];
              }),
            ),
          ),
      ]),
    ),
    ...(scheme.relations && {
      [RELATIONS]: Object.fromEntries(
        scheme.relations.map(({ name }) => [
          name,
          relations.filter(({ type }) => type === name).map(({ head, tail }) => ({ head: hit(head), tail: hit(tail) })),
        ]),
      ),
    }),
  };
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

function labelsIn(value: unknown): readonly string[] {
  return listOf(value)
    .map((one) => (isRecord(one) ? one['label'] : one))
    .filter((label) => typeof label === 'string');
}

/** The place of `{text, start, end}` or of a text; null if there is none. */
function placing(text: string): (hit: unknown) => Stretch | null {
  const { units } = positionsIn(text);
  return (hit) => {
    const { text: part, start, end }: Fields = isRecord(hit) ? hit : { text: hit };
    if (typeof start === 'number' && typeof end === 'number') {
      const at = { start: units(start), end: units(end) };
      // A choice has the place of what says it in other words.
      return part === undefined || part === text.slice(at.start, at.end) ? at : null;
    }
    const at = typeof part === 'string' ? text.indexOf(part) : -1;
    return at < 0 || part === '' ? null : { start: at, end: at + (part as string).length };
  };
}

function valueOf(value: unknown, place: (hit: unknown) => Stretch | null, isChoice: boolean): Value[] {
  const text = isRecord(value) ? value['text'] : value;
  if (typeof text !== 'string') return [];
  const at = isChoice ? null : place(value);
  return [at ? { text, at } : { text }];
}
