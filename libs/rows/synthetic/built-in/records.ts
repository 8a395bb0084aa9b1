import type { InvalidField } from '#domain/errors.js';
import type { FieldSpec } from '#domain/generation-job/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { textOfClass } from './classes.js';
import { pick } from './draw.js';
import { newRecord, valueOf, type Value } from './field-values.js';
import { classesOfFamilies, classField, textFamilies, type ClassField } from './text-fields.js';

/** Problems with `fields`; empty when the built-in generator can fill each one. */
export const fieldProblems = (fields: readonly FieldSpec[], name: string): readonly InvalidField[] =>
  fields.flatMap((field, index): InvalidField[] =>
    textFamilies(field) !== null || valueOf(field) !== null
      ? []
      : [{ path: [name, index], message: unknownField(field), type: 'not_allowed' }],
  );

export const unknownField = ({ name, type }: FieldSpec): string =>
  `the built-in generator cannot tell what ${type === 'list' ? 'the entries of the list' : `the ${type}`} ${JSON.stringify(name)} ` +
  `should hold: give it ${type === 'number' ? 'a range in its description ("1 to 100")' : 'choices'} or a name that says it ` +
  '(email, city, order_date, price, ...), or name a decoder of the catalog as model_id';

/** Generates records: each about one person, at one place. A text and the class in another field agree. */
export function recordRows(fields: readonly FieldSpec[]): (row: number) => JsonObject {
  const told = fields.some((field) => textFamilies(field) !== null) ? (firstOf(fields.map(classField)) ?? null) : null;
  const values = fields.map((field): [FieldSpec, Value] => [field, valueOf(field) ?? (() => null)]);
  return () => {
    const memo = newRecord();
    const said = told && pick(told.classes);
    const entries = values.map(([field, value]): [string, Json] => {
      if (field === told?.field) return [field.name, said!.value];
      const families = textFamilies(field);
      return [field.name, families === null ? value(memo) : textOfClass(said?.of ?? pick(classesOfFamilies(families)))];
    });
    return Object.fromEntries(entries);
  };
}

const firstOf = (fields: readonly (ClassField | null)[]): ClassField | undefined =>
  fields.find((each) => each !== null);
