import type { InvalidField } from '#domain/errors.js';
import type { FieldSpec } from '#domain/generation-job/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { entitiesOfClassText, nerRows } from './ner.js';
import { textOfClass } from './classes.js';
import { pick } from './draw.js';
import { entityTypeOf } from './entity-types.js';
import { newRecord, valueOf } from './field-values.js';
import { normalised } from './names.js';
import { fieldProblems } from './records.js';
import { classField, textFamilies } from './text-fields.js';

/**
 * Rows `{input, output}` whose output follows from the input: the class of a text, the entities in it, and a few values
 * of other fields.
 */
export function pairRows(
  inputs: readonly FieldSpec[],
  outputs: readonly FieldSpec[],
): (row: number) => JsonObject | null {
  const text = inputs.find((field) => textFamilies(field) !== null);
  const told = outputs.map(classField).find((each) => each !== null) ?? null;
  const extracted = outputs.filter((field) => field !== told?.field && isExtracted(field, text));
  const types = [...new Set(extracted.map(({ name }) => entityTypeOf(name)!))];
  const texts = told === null && types.length > 0 ? nerRows(types, new Set()) : null;
  return (row) => {
    const memo = newRecord();
    const said = told && pick(told.classes);
    const written = texts ? texts(row) : said && types.length > 0 ? entitiesOfClassText(said.of, types) : null;
    if (texts && written === null) return null;
    const words = written?.text ?? (said ? textOfClass(said.of) : null);
    const input = Object.fromEntries(
      inputs.map((field): [string, Json] => [field.name, field === text ? words : (valueOf(field)?.(memo) ?? null)]),
    );
    const output = Object.fromEntries(
      outputs.map((field): [string, Json] => {
        if (field === told?.field) return [field.name, said!.value];
        if (extracted.includes(field)) return [field.name, foundIn(written, field)];
        return [field.name, derivation(field, inputs)!(input)];
      }),
    );
    return { input, output };
  };
}

export function pairProblems(inputs: readonly FieldSpec[], outputs: readonly FieldSpec[]): readonly InvalidField[] {
  const texts = inputs.filter((field) => textFamilies(field) !== null);
  const told = texts.length > 0 ? outputs.map(classField).filter((each) => each !== null) : [];
  const others = inputs.filter((field) => !texts.includes(field));
  const problems: InvalidField[] = [];
  for (const field of texts.slice(1))
    problems.push(refused('inputFields', inputs.indexOf(field), 'can write one text for a row; name one text field'));
  for (const problem of fieldProblems(others, 'inputFields')) {
    const index = inputs.indexOf(others[Number(problem.path[1])]!);
    problems.push({ ...problem, path: ['inputFields', index] });
  }
  outputs.forEach((field, index) => {
    if (told[0]?.field === field || isExtracted(field, texts[0]) || derivation(field, inputs) !== null) return;
    const cause = told.some((each) => each.field === field)
      ? `can tell a text by one class; ${JSON.stringify(told[0]!.field.name)} is that already`
      : `cannot make ${JSON.stringify(field.name)} follow from the input. It can tell the class of a text (choices such as positive, ` +
        'negative), the entities in a text (person, city, ...), a full name and a total';
    problems.push(refused('outputFields', index, cause));
  });
  return problems;
}

const refused = (list: string, index: number, cause: string): InvalidField => ({
  path: [list, index],
  message: `the built-in generator ${cause}; or name a decoder of the catalog as model_id`,
  type: 'not_allowed',
});

const isExtracted = ({ name, type, choices }: FieldSpec, text: FieldSpec | undefined): boolean =>
  text !== undefined && choices === null && (type === 'string' || type === 'list') && entityTypeOf(name) !== null;

/** The spans of the field's type: all for a list, the first for a string, null if there is none. */
function foundIn(row: JsonObject | null, { name, type }: FieldSpec): Json {
  const entities = (row?.['entities'] ?? []) as readonly (readonly [string, string])[];
  const found = entities.filter(([, label]) => label === entityTypeOf(name)).map(([span]) => span);
  return type === 'list' ? [...new Set(found)] : (found[0] ?? null);
}

type Derivation = (input: JsonObject) => Json;

/** An output that follows from other fields of the input; null for none that is known. */
function derivation(field: FieldSpec, inputs: readonly FieldSpec[]): Derivation | null {
  const named = (...names: string[]) => inputs.find(({ name }) => names.includes(normalised(name)))?.name;
  const same = inputs.find(({ name, type }) => normalised(name) === normalised(field.name) && type === field.type);
  if (same && textFamilies(same) === null) return (input) => input[same.name] ?? null;
  const [first, last] = [named('first name', 'given name'), named('last name', 'surname', 'family name')];
  const name = normalised(field.name);
  if (field.type === 'string' && ['name', 'full name'].includes(name) && first !== undefined && last !== undefined)
    return (input) => `${input[first] as string} ${input[last] as string}`;
  const [price, count] = [named('price', 'unit price', 'cost'), named('quantity', 'count', 'unit')];
  const numeric = (key: string) => inputs.some((input) => input.name === key && input.type === 'number');
  if (
    field.type === 'number' &&
    /^(?:total|amount|sum)/.test(name) &&
    price !== undefined &&
    count !== undefined &&
    numeric(price) &&
    numeric(count)
  )
    return (input) => Math.round(Number(input[price]) * Number(input[count]) * 100) / 100;
  return null;
}
