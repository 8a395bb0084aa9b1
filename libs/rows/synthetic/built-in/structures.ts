import type { InvalidField } from '#domain/errors.js';
import type { FieldSpec, StructureSpec } from '#domain/generation-job/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { parseTemplate, type Template } from '../templates/template.js';
import { capitalised, chance, faker, pick } from './draw.js';
import { readSections, readTemplates } from './english/index.js';
import { entityTypeOf } from './entity-types.js';
import { newRecord, valueOf, type Value } from './field-values.js';
import { plain, realise, textOf } from './grammar.js';
import { nameWords } from './names.js';
import { unknownField } from './records.js';
import { paired } from './sentences.js';
import { textFamilies } from './text-fields.js';

/** Share of rows that hold no record: a model must learn that too. */
const NEGATIVES = 0.12;
/** Share of records that lack a field, where they could. */
const INCOMPLETE = 0.4;
const RECORDS_A_TEXT = [1, 1, 1, 2, 2, 3];

/** A record in a text: its fields in that order, each with its values. */
type Told = readonly { readonly field: FieldSpec; readonly values: readonly string[] }[];

const PLAIN: readonly Template[] = readTemplates('plain.txt');
const PHRASES: ReadonlyMap<string, readonly Template[]> = new Map(
  readSections('records.txt').flatMap(({ words, lines }) =>
    words.map((type) => [type, lines.map((line) => parseTemplate(line))] as const),
  ),
);

/** Problems with `structures`; empty when the built-in generator can fill each field. */
export const structureProblems = (structures: readonly StructureSpec[]): readonly InvalidField[] =>
  structures.flatMap(({ fields }, index) =>
    fields.flatMap((field, at): InvalidField[] =>
      textFamilies(field) === null && valueOf(field) !== null
        ? []
        : [{ path: ['structures', index, 'fields', at], message: unknownField(field), type: 'not_allowed' }],
    ),
  );

/**
 * Generates texts that contain records: forms, lists, tables and sentences. With several structures, each text names
 * its own, which nothing else may reveal.
 */
export function structureRows(structures: readonly StructureSpec[]): (row: number) => JsonObject {
  const makers = structures.map(({ name, fields }) => ({
    name,
    values: fields.map((field): [FieldSpec, Value] => [field, valueOf(field)!]),
  }));
  return (row) => {
    if (chance(NEGATIVES)) return { text: textOf(paired(pick(PLAIN), PLAIN, 0.5)), json_structures: [] };
    const { name, values } = makers[row % makers.length]!;
    const order = chance(0.5) ? values : faker.helpers.shuffle([...values]);
    const records = Array.from({ length: pick(RECORDS_A_TEXT) }, () => recordOf(order));
    return {
      text: pick(LAYOUTS)(records, spoken(name), structures.length > 1 || chance(0.5)),
      json_structures: records.map((record) => ({ [name]: written(record) })),
    };
  };
}

function recordOf(values: readonly (readonly [FieldSpec, Value])[]): Told {
  const memo = newRecord();
  const whole = values.flatMap(([field, value]) => {
    const found = [value(memo)].flat().filter((each): each is string => typeof each === 'string' && each !== '');
    return found.length > 0 ? [{ field, values: found }] : [];
  });
  if (!chance(INCOMPLETE)) return whole;
  const kept = whole.filter(() => chance(0.7));
  return kept.length > 0 ? kept : whole;
}

/** The record as a row holds it. */
const written = (record: Told): JsonObject =>
  Object.fromEntries(
    record.map(({ field, values }): [string, Json] => [field.name, field.type === 'list' ? values : values[0]!]),
  );

/** The text of records of one structure. @param isNamed whether it must say the structure's name */
type Layout = (records: readonly Told[], name: string, isNamed: boolean) => string;

const LAYOUTS: readonly Layout[] = [form, form, line, table, prose, prose, prose, copula, bare];

/** Renders records with a field on each line. */
function form(records: readonly Told[], name: string, isNamed: boolean): string {
  const [mark, style] = [pick([': ', ': ', ' - ', ' = ']), pick([capitalised, capitalised, upper, same])];
  const title = isNamed ? pick([`${capitalised(name)}\n`, `New ${name}\n`, `${capitalised(name)} details:\n`]) : '';
  return records
    .map((record) => title + record.map((each) => style(labelOf(each)) + mark + listed(each.values)).join('\n'))
    .join('\n\n');
}

/** All fields of a record in a line. */
function line(records: readonly Told[], name: string, isNamed: boolean): string {
  const [mark, comma] = [pick([': ', ' ', '=']), pick([', ', '; ', ' | '])];
  const lead = isNamed ? pick([`${capitalised(name)} - `, `[${name}] `, `${name}: `]) : '';
  const isNumbered = records.length > 1 && chance(0.3);
  return records
    .map((record, at) => (isNumbered ? `${at + 1}. ` : '') + lead + told(record, mark, comma))
    .join(pick(['\n', '\n', ' // ']));
}

const told = (record: Told, mark: string, comma: string): string =>
  record.map((each) => `${labelOf(each)}${mark}${listed(each.values)}`).join(comma);

/** Names of the fields in the first line, values below. */
function table(records: readonly Told[], name: string, isNamed: boolean): string {
  const [comma, absent] = [pick([' | ', ', ', '\t', ' ; ']), pick(['-', 'n/a', ''])];
  const labels = [...new Set(records.flatMap((record) => record.map(labelOf)))];
  const lines = records.map((record) =>
    labels
      .map((label) => listed(record.find((each) => labelOf(each) === label)?.values ?? [], ' / ') || absent)
      .join(comma),
  );
  return [...(isNamed ? [`${capitalised(name)} list`] : []), labels.map(capitalised).join(comma), ...lines].join('\n');
}

/** Sentences in which words such as "for" and "in" distinguish the fields. */
function prose(records: readonly Told[], name: string, isNamed: boolean): string {
  const comma = pick([' ', ' ', ', ']);
  return records
    .map((record, at) => {
      const phrases = record.map(phraseOf).join(comma);
      const begins = at === 0 ? FIRST : FURTHER;
      return `${capitalised(`${isNamed ? pick(begins)(name) : pick(at === 0 ? OPENINGS : ['and ', 'then ', 'also '])}${phrases}`.trim())}.`;
    })
    .join(' ');
}

const OPENINGS = ['', '', 'please note ', 'we have ', 'this is ', 'hello, ', 'for the record: ', 'hi team, it is '];
const FIRST = [
  (name: string) => `${name} `,
  (name: string) => `new ${name} `,
  (name: string) => `please register this ${name}: `,
  (name: string) => `we received one ${name} `,
  (name: string) => `I am writing about the ${name} `,
];
const FURTHER = [
  (name: string) => `another ${name} `,
  (name: string) => `second ${name} `,
  (name: string) => `and one more ${name} `,
];

/** "The city is Lyon and the date is 3 May." */
function copula(records: readonly Told[], name: string, isNamed: boolean): string {
  const [is, ofName] = [pick(['is', 'is', 'was', 'should be']), isNamed ? ` of the ${name}` : ''];
  return records
    .map((record) => {
      const parts = record.map(
        (each, at) => `the ${labelOf(each)}${at === 0 ? ofName : ''} ${is} ${listed(each.values)}`,
      );
      return `${capitalised(joinedByAnd(parts))}.`;
    })
    .join(' ');
}

/** Values alone. */
function bare(records: readonly Told[], name: string, isNamed: boolean): string {
  const comma = pick([', ', ' - ', ' / ']);
  return records
    .map((record) => (isNamed ? `${name} ` : '') + record.map(({ values }) => listed(values)).join(comma))
    .join(pick(['\n', '; ']));
}

function phraseOf(each: Told[number]): string {
  const type = entityTypeOf(each.field.name) ?? entityTypeOf(nameWords(each.field.name).at(-1) ?? '');
  const phrases = PHRASES.get(type ?? '');
  const value = listed(each.values);
  if (phrases === undefined || chance(0.25))
    return pick([`with ${labelOf(each)} ${value}`, `${labelOf(each)} ${value}`, `(${labelOf(each)}: ${value})`]);
  return textOf(realise(pick(phrases), () => plain(value)));
}

const spoken = (name: string): string => nameWords(name).join(' ') || name;
const labelOf = ({ field }: Told[number]): string => spoken(field.name);
const upper = (text: string): string => text.toUpperCase();
const same = (text: string): string => text;

const listed = (values: readonly string[], comma?: string): string =>
  comma === undefined && chance(0.6) ? joinedByAnd(values) : values.join(comma ?? ', ');

const joinedByAnd = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)!}`;
