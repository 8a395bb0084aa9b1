import { BLANK, type Annotation, type Stretch, type Value } from '../../components/editor/annotation.js';
import { isRecord } from '../../components/json.js';
import { positionsIn } from '../../components/positions.js';
import { NOTHING, type Described, type Scheme, type Structure, type Task } from '../../components/scheme/scheme.js';
import { spansOf } from '../../components/row-spans.js';

/** A stored row of a dataset. */
export type Row = Readonly<Record<string, unknown>>;

/** The task that a row's `label`, or `labels` as a list, answers. */
export const CLASS = 'class';

/** The scheme of a dataset, as far as these rows show it. */
export function schemeOfRows(rows: readonly Row[]): Scheme {
  const has = (key: string): boolean => rows.some((row) => Array.isArray(row[key]));
  const named = (names: readonly string[]): readonly Described[] => [...new Set(names)].map((name) => ({ name }));
  return {
    ...NOTHING,
    entities: has('entities')
      ? named(rows.flatMap(({ text, entities }) => spansOf(String(text), entities).map(({ label }) => label)))
      : null,
    tasks: tasksOfRows(rows),
    structures: structuresOf(rows),
    relations: has('relations') ? named(rows.flatMap((row) => pairsOf(row['relations']).map(([name]) => name))) : null,
  };
}

function tasksOfRows(rows: readonly Row[]): readonly Task[] {
  const tasks = new Map<string, { readonly labels: Set<string>; multiple: boolean }>();
  for (const row of rows)
    for (const [name, value] of Object.entries(classesOf(row))) {
      const task = tasks.get(name) ?? { labels: new Set(), multiple: false };
      tasks.set(name, task);
      for (const label of textsIn(value)) task.labels.add(label);
      if (Array.isArray(value)) task.multiple = true;
    }
  return [...tasks].map(([name, { labels, multiple }]) => ({ name, labels: [...labels], multiple }));
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
    classes: Object.fromEntries(Object.entries(classesOf(row)).map(([name, value]) => [name, textsIn(value)])),
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
  const part = ({ start, end }: Stretch): string => text.slice(start, end);
  return {
    ...(scheme.tasks.length > 0 ? { ...rest, ...classesIn(row, annotation, scheme.tasks) } : row),
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

/** `label` or `labels` of the only task if it has no name of its own; else `labels` by task, without those that the row says nothing of. */
function classesIn(row: Row, { classes }: Annotation, tasks: readonly Task[]): Row {
  const had = classesOf(row);
  const said = tasks.flatMap(({ name, multiple }): [string, unknown][] => {
    const chosen = classes[name] ?? [];
    if (multiple) return chosen.length > 0 || tasks.length === 1 || had[name] ? [[name, chosen]] : [];
    return chosen.length > 0 ? [[name, chosen[0]]] : [];
  });
  if (said.length === 0) return {};
  if (tasks.some(({ name }) => name !== CLASS)) return { labels: Object.fromEntries(said) };
  return { [tasks[0]!.multiple ? 'labels' : 'label']: said[0]![1] };
}

/** A choice in the form that the row had it in. */
const choiceOf = (value: string, choices: readonly string[], had: readonly unknown[]): unknown =>
  had.find((part) => part === value || (isRecord(part) && part['value'] === value)) ?? { value, choices };

export const textOfRow = ({ text }: Row): string => (typeof text === 'string' ? text : '');

/** A label, or a list of them, by task. */
function classesOf({ label, labels }: Row): Row {
  if (isRecord(labels)) return labels;
  if (Array.isArray(labels)) return { [CLASS]: labels };
  return typeof label === 'string' ? { [CLASS]: label } : {};
}

const textsIn = (value: unknown): string[] => [value].flat().filter((each) => typeof each === 'string');

/** `[{name: {…}}]` as pairs. */
const pairsOf = (list: unknown): readonly (readonly [string, Row])[] =>
  (Array.isArray(list) ? (list as readonly unknown[]) : [])
    .filter(isRecord)
    .flatMap((each) => Object.entries(each))
    .flatMap(([name, value]) => (isRecord(value) ? [[name, value] as const] : []));

const KEYS = ['entities', 'label', 'labels', 'json_structures', 'relations', 'messages', 'prompt'];

/** Whether a row has labels of any head; an empty list means that there is nothing to find. */
export const isLabelled = (row: Row): boolean => KEYS.some((key) => row[key] !== undefined && row[key] !== null);
