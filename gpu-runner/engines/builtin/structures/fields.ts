import type { Example, LabelledRecord, Span } from '../../engine.js';
import type { JsonValue } from '../head.js';
import type { ChoiceShape } from './choice-texts.js';
import { labelOf } from './names.js';
import { layoutOf, NO_LAYOUT, type Layout } from './layout.js';

/** A structure as the rows show it. */
export interface Shape {
  readonly name: string;
  readonly fields: readonly FieldShape[];
  readonly layout: Layout;
}

export interface FieldShape {
  readonly name: string;
  /** Whether a row has a list there. */
  readonly isList: boolean;
  /** How its choices are known, if it has such; present in the heads that learned them. */
  readonly choice?: ChoiceShape;
}

/** Rows for a tagger: the values of all records as spans. */
export function taggedRows(rows: readonly Example[]): Example[] {
  return rows.flatMap(({ text, structures }) =>
    structures === undefined ? [] : [{ text, entities: spansOf(structures) }],
  );
}

function spansOf(records: readonly LabelledRecord[]): Span[] {
  const byStretch = Map.groupBy(
    records.flatMap(({ name: structure, fields }) =>
      fields.flatMap(({ name: field, values }) => values.map(({ start, end }) => ({ start, end, structure, field }))),
    ),
    ({ start, end }) => `${start} ${end}`,
  );
  return [...byStretch.values()].map((values) => {
    const { start, end } = values[0]!;
    return { start, end, label: labelOf(values) };
  });
}

/**
 * The structures of the rows and those of an earlier head, with all their fields, by name.
 * @param train those of the rows whose layouts are learned
 */
export function shapesOf(rows: readonly Example[], train: readonly Example[], earlier: readonly Shape[]): Shape[] {
  const shapes = new Map<string, Map<string, FieldShape>>();
  const add = (structure: string, { name, isList, choice }: FieldShape) => {
    const fields = shapes.get(structure) ?? new Map<string, FieldShape>();
    const known = fields.get(name);
    fields.set(name, { ...(choice && { choice }), ...known, name, isList: isList || known?.isList === true });
    shapes.set(structure, fields);
  };
  for (const { name, fields } of earlier) for (const field of fields) add(name, field);
  const shown = new Set<string>();
  for (const { structures = [] } of rows)
    for (const { name, fields } of structures) {
      shown.add(name);
      for (const { name: field, isList } of fields) add(name, { name: field, isList });
    }
  const layout = (name: string): Layout =>
    shown.has(name) ? layoutOf(train, name) : (earlier.find((each) => each.name === name)?.layout ?? NO_LAYOUT);
  return [...shapes]
    .map(([name, fields]) => ({
      name,
      fields: [...fields.values()].sort(byName),
      layout: layout(name),
    }))
    .sort(byName);
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** Shapes as a head's configuration stores them. */
export const storedShapes = (shapes: readonly Shape[]): JsonValue =>
  shapes.map(({ name, fields, layout }) => ({
    name,
    fields: fields.map(({ choice, ...field }) => ({ ...field, ...(choice && { choice: { ...choice } }) })),
    layout: { ...layout },
  }));

/** Shapes that a head's configuration stores; those of older heads have no layout. */
export const shapesIn = (config: { readonly [key: string]: JsonValue }): readonly Shape[] =>
  (config['structures'] as unknown as readonly (Omit<Shape, 'layout'> & Partial<Shape>)[]).map((shape) => ({
    layout: NO_LAYOUT,
    ...shape,
  }));
