/**
 * Rows with structures and with relations, made from templates for this project. The test rows come from templates that no
 * training row has, and half of their values are new too. Beside them a rule, which a trained model should beat.
 */
import { faker } from '@faker-js/faker';
import type { Row } from './row.js';

/** A row, and where its values stand in `<field>` marks: `[text, field]` in text order. */
interface Filled {
  readonly row: Row;
  readonly values: readonly (readonly [value: string, field: string])[];
}

/** `{field}` and `{field 2}`: the second record of the text. */
const ORDERS = [
  'Please send {count} {item} to {who} in {city}.',
  'Order for {who}: {count} {item}, ship to {city}.',
  '{who} from {city} wants {count} {item}.',
  'We need {count} {item} for {who} and {count 2} {item 2} for {who 2}.',
  'To {city}: {count} {item}. To {city 2}: {count 2} {item 2}.',
  '{who} ordered {count} {item}; {who 2} ordered {count 2} {item 2}.',
  'Deliver {count} {item} to {city}, attention {who}.',
  'Item: {item}\nQuantity: {count}\nName: {who}\nCity: {city}',
  'Can {who} get {count} {item} by Friday?',
  'Add {count} {item} and {count 2} {item 2} to the order.',
];
const UNSEEN_ORDERS = [
  'I would like {count} {item} sent to {city} for {who}.',
  '{who} needs {count} {item} in {city}, and {who 2} needs {count 2} {item 2} in {city 2}.',
  'Name: {who}\nItem: {item}\nQuantity: {count}',
  'Could you ship {count} {item} to {who}?',
  'Two parcels: {count} {item} for {who}, {count 2} {item 2} for {who 2}.',
];

/** `{person}` and so on; `+` lists the relations by their ends. */
const FACTS = [
  ['{person 1} works for {company 1} in {city 1}.', 'works_for person 1 company 1', 'based_in company 1 city 1'],
  [
    '{person 1}, an engineer at {company 1}, lives in {city 1}.',
    'works_for person 1 company 1',
    'lives_in person 1 city 1',
  ],
  ['{company 1}, based in {city 1}, hired {person 1}.', 'works_for person 1 company 1', 'based_in company 1 city 1'],
  ['{company 1} bought {company 2} last year.', 'bought company 1 company 2'],
  ['{company 1} was bought by {company 2}.', 'bought company 2 company 1'],
  [
    '{person 1} lives in {city 1} and works for {company 1}.',
    'lives_in person 1 city 1',
    'works_for person 1 company 1',
  ],
  [
    '{person 1} works for {company 1} while {person 2} works for {company 2}.',
    'works_for person 1 company 1',
    'works_for person 2 company 2',
  ],
  ['The headquarters of {company 1} are in {city 1}.', 'based_in company 1 city 1'],
  ['{person 1} left {company 1} and moved to {city 1}.', 'lives_in person 1 city 1'],
  ['{person 1} visited {company 1} in {city 1}.', 'based_in company 1 city 1'],
  ['{company 1} competes with {company 2} in {city 1}.'],
  ['{person 1} met {person 2} in {city 1}.'],
  ['{company 1} employs {person 1}.', 'works_for person 1 company 1'],
] as const;
const UNSEEN_FACTS = [
  [
    '{person 1}, who lives in {city 1}, works for {company 1}.',
    'lives_in person 1 city 1',
    'works_for person 1 company 1',
  ],
  ['{company 1} of {city 1} was bought by {company 2}.', 'based_in company 1 city 1', 'bought company 2 company 1'],
  ['{person 1} met {person 2}, an engineer at {company 1}.', 'works_for person 2 company 1'],
  [
    '{company 1} bought {company 2}, which is based in {city 1}.',
    'bought company 1 company 2',
    'based_in company 2 city 1',
  ],
  ['{person 1} never visited {company 1}.'],
  [
    '{company 1} hired {person 1} and {company 2} hired {person 2}.',
    'works_for person 1 company 1',
    'works_for person 2 company 2',
  ],
] as const;

const MARK = /\{([^}]*)\}/g;

function lexicon(): Record<string, readonly string[]> {
  faker.seed(7);
  const many = (make: () => string) => [...new Set(Array.from({ length: 400 }, make))].slice(0, 120);
  const people = many(() => faker.person.firstName());
  const cities = many(() => faker.location.city());
  return {
    who: people,
    person: people,
    city: cities,
    company: many(() => faker.company.name()),
    item: many(() => `${faker.color.human()} ${faker.commerce.product().toLowerCase()}s`),
    count: Array.from({ length: 60 }, (_, count) => `${count + 2}`),
  };
}

/** @param reach share of each lexicon, from its start, that values are taken from */
function fill(template: string, values: Record<string, readonly string[]>, reach: number) {
  const chosen = new Map<string, string>();
  const used = new Set<string>();
  const text = template.replaceAll(MARK, (_, mark: string) => {
    const kind = mark.split(' ')[0]!;
    const list = values[kind]!;
    let value: string;
    do value = list[faker.number.int({ max: Math.floor(list.length * reach) - 1 })]!;
    while (used.has(value));
    used.add(value);
    chosen.set(mark, value);
    return value;
  });
  return { text, chosen };
}

function structureRows(templates: readonly string[], count: number, reach: number): Filled[] {
  const values = lexicon();
  return Array.from({ length: count }, (_, row) => {
    const { text, chosen } = fill(templates[row % templates.length]!, values, reach);
    const records: Record<string, string>[] = [{}, {}];
    for (const [mark, value] of chosen) {
      const [field, record] = mark.split(' ');
      records[record === undefined ? 0 : 1]![field!] = value;
    }
    const json_structures = records.flatMap((order) => (Object.keys(order).length > 0 ? [{ order }] : []));
    return { row: { text, json_structures }, values: [...chosen].map(([mark, value]) => [value, mark.split(' ')[0]!]) };
  });
}

function relationRows(templates: readonly (readonly [string, ...string[]])[], count: number, reach: number): Filled[] {
  const values = lexicon();
  return Array.from({ length: count }, (_, row) => {
    const [template, ...facts] = templates[row % templates.length]!;
    const { text, chosen } = fill(template, values, reach);
    const marks = [...chosen].map(([mark, value]) => [value, mark.split(' ')[0]!] as const);
    const relations = facts.map((fact) => {
      const [name, head, first, tail, second] = fact.split(' ') as [string, string, string, string, string];
      return { [name]: { head: chosen.get(`${head} ${first}`)!, tail: chosen.get(`${tail} ${second}`)! } };
    });
    return { row: { text, entities: marks, relations }, values: marks };
  });
}

const TRAINING_ROWS = 400;
const TEST_ROWS = 200;
const rowsOf = (filled: readonly Filled[]): Row[] => filled.map(({ row }) => row);

export const structures = {
  train: () => rowsOf(structureRows(ORDERS, TRAINING_ROWS, 0.5)),
  test: () => rowsOf(structureRows(UNSEEN_ORDERS, TEST_ROWS, 1)),
  /**
   * Values of the training rows wherever they stand, and any number as a count; a field that comes again begins the next record.
   * @returns micro-F1 on the test rows
   */
  rule: () => {
    const known = new Map(structureRows(ORDERS, TRAINING_ROWS, 0.5).flatMap(({ values }) => values));
    const score = new Score();
    for (const { row } of structureRows(UNSEEN_ORDERS, TEST_ROWS, 1)) {
      const records: Record<string, string>[] = [];
      const words = [...row.text.matchAll(/[\p{L}\p{N}'-]+/gu)];
      for (let at = 0; at < words.length; at += 1)
        for (const length of [4, 3, 2, 1]) {
          const last = words[at + length - 1];
          const value = last && row.text.slice(words[at]!.index, last.index + last[0].length);
          const field = value === undefined ? undefined : /^\d+$/.test(value) ? 'count' : known.get(value);
          if (value === undefined || field === undefined) continue;
          if (records.length === 0 || field in records.at(-1)!) records.push({});
          records.at(-1)![field] = value;
          at += length - 1;
          break;
        }
      const gold = row.json_structures!.map(({ order }) => order!);
      score.add(gold.flatMap(facts), records.flatMap(facts));
    }
    return score.f1();
  },
};

export const relations = {
  train: () => rowsOf(relationRows(FACTS, TRAINING_ROWS, 0.5)),
  test: () =>
    rowsOf(relationRows(UNSEEN_FACTS, TEST_ROWS, 1)).map(({ text, relations: told }) => ({ text, relations: told! })),
  /**
   * The relation that joins two types most often in the training rows, for every two neighbours of these types. It is given the
   * entities of the test rows, which a model has to find. @returns micro-F1 on the test rows
   */
  rule: () => {
    const byTypes = new Map<string, Map<string, number>>();
    const pairsIn = ({ values }: Filled) => values.slice(1).map((right, index) => [values[index]!, right] as const);
    for (const filled of relationRows(FACTS, TRAINING_ROWS, 0.5))
      for (const [left, right] of pairsIn(filled)) {
        const told = triples(filled.row).find((fact) => fact.includes(left[0]) && fact.includes(right[0]));
        const name = told === undefined ? 'none' : `${told[0]} ${told[1] === left[0] ? 'forward' : 'back'}`;
        const key = `${left[1]} ${right[1]}`;
        const names = byTypes.get(key) ?? new Map<string, number>();
        byTypes.set(key, names.set(name, (names.get(name) ?? 0) + 1));
      }
    const score = new Score();
    for (const filled of relationRows(UNSEEN_FACTS, TEST_ROWS, 1)) {
      const found = pairsIn(filled).flatMap(([left, right]) => {
        const [best] = [...(byTypes.get(`${left[1]} ${right[1]}`) ?? [])].sort(([, a], [, b]) => b - a)[0] ?? ['none'];
        const [name, direction] = best.split(' ') as [string, string?];
        if (direction === undefined) return [];
        return [[name, ...(direction === 'forward' ? [left[0], right[0]] : [right[0], left[0]])]];
      });
      score.add(
        triples(filled.row).map((fact) => JSON.stringify(fact)),
        found.map((fact) => JSON.stringify(fact)),
      );
    }
    return score.f1();
  },
};

/** With the place of the record in the text, so that values in the wrong record do not count. */
const facts = (record: NonNullable<Row['json_structures']>[number][string], place: number): string[] =>
  Object.entries(record).map((fact) => JSON.stringify([place, ...fact]));

const triples = ({ relations: told = [] }: Row): string[][] =>
  told.flatMap((each) => Object.entries(each).map(([name, { head, tail }]) => [name, head, tail]));

class Score {
  private gold = 0;
  private found = 0;
  private right = 0;

  add(gold: readonly string[], found: readonly string[]): void {
    this.gold += gold.length;
    this.found += found.length;
    this.right += found.filter((fact) => gold.includes(fact)).length;
  }

  f1(): number {
    return (2 * this.right) / Math.max(1, this.gold + this.found);
  }
}
