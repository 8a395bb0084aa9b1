import { BLANK, type Annotation, type Stretch, type Value } from '../../components/editor/annotation.js';
import { isRecord } from '../../components/json.js';
import { positionsIn } from '../../components/positions.js';
import { NOTHING, type Described, type Scheme, type Structure } from '../../components/scheme/scheme.js';
import { spansOf } from '../../components/row-spans.js';

/** A stored row of a dataset. */
export type Row = Readonly<Record<string, unknown>>;

/** The task that a row's `label` or `labels` answers. */
export const CLASS = 'class';

/** The scheme of a dataset, as far as these rows show it. */
export function schemeOfRows(rows: readonly Row[]): Scheme {
  const has = (key: string): boolean => rows.some((row) => Array.isArray(row[key]));
  const labels = new Set(rows.flatMap((row) => classesOf(row)));
  const named = (names: readonly string[]): readonly Described[] => [...new Set(names)].map((name) => ({ name }));
  const multiple = has('labels');
  return {
    ...NOTHING,
    entities: has('entities')
      ? named(rows.flatMap(({ text, entities }) => spansOf(String(text), entities).map(({ label }) => label)))
      : null,
    tasks: labels.size > 0 || multiple ? [{ name: CLASS, labels: [...labels], multiple }] : [],
    structures: structuresOf(rows),
    relations: has('relations') ? named(rows.flatMap((row) => pairsOf(row['relations']).map(([name]) => name))) : null,
  };
}

function structuresOf(rows: readonly Row[]): readonly Structure[] {
  const found = new Map<string, Map<string, unknown[]>>();
  for (const [name, fields] of rows.flatMap((row) => pairsOf(row['json_structures']))) {
    const known = found.get(name) ?? found.set(name, new Map()).get(name)!;
    for (const [field, value] of Object.entries(fields)) known.set(field, [...(known.get(field) ?? []), value]);
  }
  return [...found].map(([name, fields]) => ({
    name,
    fields: [...fields].map(([field, values]) => {
      const choices = choicesIn(values.flat());
      return { name: field, isList: values.some(Array.isArray), ...(choices.length > 0 && { choices }) };
    }),
  }));
}

/** All values of a field of which some are choices; none if all are stretches of the text. */
function choicesIn(values: readonly unknown[]): readonly string[] {
  const chosen = values.filter(isRecord);
  if (chosen.length === 0) return [];
  const all = [...chosen.flatMap(({ value, choices }) => [value, choices].flat()), ...values];
  return [...new Set(all.filter((each) => typeof each === 'string'))];
}

/** The labels that a row has. */
export function fromRow(row: Row): Annotation {
  const text = textOfRow(row);
  const place = (part: unknown): Stretch | null => {
    const start = typeof part === 'string' && part !== '' ? text.indexOf(part) : -1;
    return start < 0 ? null : { start, end: start + (part as string).length };
  };
  const values = (given: unknown): Value[] =>
    [given].flat().flatMap((part): Value[] => {
      if (isRecord(part)) return typeof part['value'] === 'string' ? [{ text: part['value'] }] : [];
      const at = place(part);
      return at ? [{ text: part as string, at }] : [];
    });
  return {
    ...BLANK,
    spans: spansOf(text, row['entities']),
    classes: { [CLASS]: classesOf(row) },
    records: pairsOf(row['json_structures']).map(([structure, fields]) => ({
      structure,
      fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, values(value)])),
    })),
    relations: pairsOf(row['relations']).flatMap(([type, ends]) => {
      const [head, tail] = [place(ends['head']), place(ends['tail'])];
      return head && tail ? [{ type, head, tail }] : [];
    }),
  };
}

/** A row with these labels in place of those that it had for the heads of the scheme. Its other keys stay. */
export function toRow(row: Row, annotation: Annotation, scheme: Scheme): Row {
  const text = textOfRow(row);
  const { points } = positionsIn(text);
  const { label: _label, labels: _labels, ...rest } = row;
  const task = scheme.tasks[0];
  const chosen = (task && annotation.classes[task.name]) ?? [];
  const part = ({ start, end }: Stretch): string => text.slice(start, end);
  return {
    ...(task ? rest : row),
    ...(task && (task.multiple ? { labels: chosen } : chosen.length > 0 && { label: chosen[0] })),
    ...(scheme.entities && {
      entities: annotation.spans.map((span) => ({
        text: part(span),
        label: span.label,
        start: points(span.start),
        end: points(span.end),
      })),
    }),
    ...(scheme.structures.length > 0 && {
      json_structures: annotation.records.map(({ structure, fields }) => ({
        [structure]: Object.fromEntries(
          Object.entries(fields)
            .filter(([, values]) => values.length > 0)
            .map(([name, values]) => {
              const field = scheme.structures
                .find((each) => each.name === structure)
                ?.fields.find((each) => each.name === name);
              const had = pairsOf(row['json_structures']).flatMap(([own, before]) =>
                own === structure ? [before[name]].flat() : [],
              );
              const kept = values.map(({ text: value }) =>
                field?.choices ? choiceOf(value, field.choices, had) : value,
              );
              return [name, field?.isList ? kept : kept[0]];
            }),
        ),
      })),
    }),
    ...(scheme.relations && {
      relations: annotation.relations.map(({ type, head, tail }) => ({
        [type]: { head: part(head), tail: part(tail) },
      })),
    }),
  };
}

/** A choice in the form that the row had it in. */
const choiceOf = (value: string, choices: readonly string[], had: readonly unknown[]): unknown =>
  had.find((part) => part === value || (isRecord(part) && part['value'] === value)) ?? { value, choices };

export const textOfRow = ({ text }: Row): string => (typeof text === 'string' ? text : '');

const classesOf = ({ label, labels }: Row): string[] =>
  [label, labels].flat().filter((each) => typeof each === 'string');

/** `[{name: {…}}]` as pairs. */
const pairsOf = (list: unknown): readonly (readonly [string, Row])[] =>
  (Array.isArray(list) ? (list as readonly unknown[]) : [])
    .filter(isRecord)
    .flatMap((each) => Object.entries(each))
    .flatMap(([name, value]) => (isRecord(value) ? [[name, value] as const] : []));

const KEYS = ['entities', 'label', 'labels', 'json_structures', 'relations', 'messages', 'prompt'];

/** Whether a row has labels of any head; an empty list means that there is nothing to find. */
export const isLabelled = (row: Row): boolean => KEYS.some((key) => row[key] !== undefined && row[key] !== null);
