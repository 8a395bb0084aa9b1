import type { InvalidField } from '#domain/errors.js';
import type { RelationSpec } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';
import { parseTemplate, slotsOf, type Template } from '../templates/template.js';
import { chance, pick } from './draw.js';
import { readSections, readTemplates } from './english/index.js';
import { entityTypeOf, spelled } from './entity-types.js';
import { textOf } from './grammar.js';
import { rowOf } from './labelled.js';
import { normalised } from './names.js';
import { joined, numberedSlot, sentence } from './sentences.js';
import { newMemo, SLOTS } from './slots.js';

/** Share of rows whose text states no relation. */
const NEGATIVES = 0.2;
/** Share of rows with a further sentence that names nobody. */
const PAIRED = 0.25;
/** Share of the others whose text states several, or holds more names. */
const SEVERAL = 0.4;
/** Sections of the file that are no relations. */
const OTHER_SECTIONS = ['none', 'several'];
/** Meaning of the numbers in a relation's own sentences. */
const OWN_FACTS = [
  ['1', '2'],
  ['3', '4'],
] as const;

/** A sentence, and the relations that it states. */
interface Statement {
  readonly template: Template;
  readonly facts: readonly { readonly relation: string; readonly head: string; readonly tail: string }[];
}

/** A relation that the built-in generator has texts of. */
interface Known {
  readonly name: string;
  /** The relation holds from either end to the other. */
  readonly isSymmetric: boolean;
  readonly templates: readonly Template[];
  /** Types of the head and of the tail, from the narrowest to the widest. */
  readonly ends: readonly [readonly string[], readonly string[]];
}

interface Named {
  readonly known: Known;
  /** The name goes from the tail to the head. */
  readonly isConverse: boolean;
}

const SECTIONS = readSections('relations.txt');
const linesOf = (section: string): readonly string[] => SECTIONS.find(({ name }) => name === section)!.lines;
const NEUTRAL: readonly Template[] = linesOf('none').map(parseTemplate);
const COMPOUND: readonly Statement[] = linesOf('several').map(statementOf);
const PLAIN: readonly Template[] = readTemplates('plain.txt');
const NAMED = new Map<string, Named>();
const KNOWN = SECTIONS.filter(({ name }) => !OTHER_SECTIONS.includes(name)).map(({ words, lines }): Known => {
  const templates = lines.map(parseTemplate);
  const isSymmetric = words[0]!.startsWith('=');
  const known: Known = {
    ...{ name: words[0]!.replace('=', ''), isSymmetric, templates },
    ends: [endTypes(templates, '1'), endTypes(templates, '2')],
  };
  for (const word of words)
    NAMED.set(normalised(word.replace(/^[=~]\s*/, '')), { known, isConverse: word.startsWith('~') && !isSymmetric });
  return known;
});

/** The names of the relations that the built-in generator can write. */
export const RELATIONS = KNOWN.map(({ name }) => name);

/** Problems with `relations`; empty when the built-in generator supports every one. */
export function relationProblems(relations: readonly RelationSpec[]): readonly InvalidField[] {
  const first = new Map<string, string>();
  return relations.flatMap((relation, index): InvalidField[] => {
    const refused = (field: string, message: string): InvalidField => ({
      path: ['relations', index, field],
      ...{ message, type: 'not_allowed' },
    });
    const named = NAMED.get(normalised(relation.name));
    if (named === undefined) return [refused('name', unknownRelation(relation.name))];
    const meaning = `${named.known.name} ${named.isConverse}`;
    const other = first.get(meaning);
    first.set(meaning, relation.name);
    if (other !== undefined)
      return [
        refused(
          'name',
          `${JSON.stringify(relation.name)} is the same to the built-in generator as ${JSON.stringify(other)}; leave one out`,
        ),
      ];
    const ends = endsOf(named);
    return (['head', 'tail'] as const).flatMap((end, at) => {
      const given = relation[end];
      return given === null || ends[at]!.includes(entityTypeOf(given) ?? '')
        ? []
        : [
            refused(
              end,
              `of ${JSON.stringify(relation.name)} the built-in generator makes only ${ends[at]!.map(spelled).join(' or ')}, not ${JSON.stringify(given)}`,
            ),
          ];
    });
  });
}

const unknownRelation = (name: string): string =>
  `the built-in generator cannot make ${JSON.stringify(name)} relations; it knows ${RELATIONS.map(spelled).join(', ')}, and what they ` +
  'are from the other end. For other relations name a decoder of the catalog as model_id';

/**
 * Labels of the ends of relations, to be added to those of the entities: if a relation names a type or entities are
 * requested too, all ends are labelled, since a model then joins nothing else. Empty if no types are given.
 */
export function endLabels(relations: readonly RelationSpec[], labels: readonly string[]): readonly string[] {
  if (labels.length === 0 && relations.every(({ head, tail }) => head === null && tail === null)) return [];
  const byType = new Map(labels.map((label) => [entityTypeOf(label)!, label]));
  for (const relation of relations)
    for (const given of [relation.head, relation.tail])
      if (given !== null && !byType.has(entityTypeOf(given)!)) byType.set(entityTypeOf(given)!, given);
  for (const relation of relations)
    for (const types of endsOf(NAMED.get(normalised(relation.name))!))
      if (!types.some((type) => byType.has(type))) byType.set(types[0]!, spelled(types[0]!));
  return [...byType.values()];
}

/** A maker of texts with relations. @param labels of entities that are listed too; empty: rows have no `entities` */
export function relationRows(
  relations: readonly RelationSpec[],
  labels: readonly string[],
): (row: number) => JsonObject | null {
  const wanted = new Map(labels.map((label) => [entityTypeOf(label)!, label]));
  const asked = relations.map(({ name }) => ({ name, ...NAMED.get(normalised(name))! }));
  const types = new Set(asked.flatMap(({ known }) => known.ends.flat()));
  const neutral = NEUTRAL.filter((template) =>
    slotsOf(template).some(({ name }) => (SLOTS[name]?.(newMemo()).types ?? []).some((type) => types.has(type))),
  );
  const compound = COMPOUND.filter(({ facts }) =>
    facts.some(({ relation }) => asked.some(({ known }) => known.name === relation)),
  );
  const statement = (known: Known): Statement => {
    if (chance(NEGATIVES)) return { template: pick(neutral.length > 0 ? neutral : PLAIN), facts: [] };
    if (compound.length > 0 && chance(SEVERAL)) return pick(compound);
    const facts = OWN_FACTS.map(([head, tail]) => ({ relation: known.name, head, tail }));
    return { template: pick(known.templates), facts };
  };
  return (row) => {
    const { template, facts } = statement(asked[row % asked.length]!.known);
    const first = sentence(template, newMemo());
    const pieces = chance(PAIRED) ? joined(first, sentence(pick(PLAIN), newMemo())) : first;
    const text = textOf(pieces);
    const at = new Map(
      pieces.flatMap((piece) => (piece.place === undefined ? [] : [[piece.place, piece.text] as const])),
    );
    // The row identifies the ends by their text alone.
    if ([...at.values()].some((end) => text.split(end).length !== 2)) return null;
    const labelled = labels.length > 0 ? rowOf(pieces, wanted) : { text };
    const stated = facts.filter(({ head, tail }) => at.has(head) && at.has(tail));
    return (
      labelled && {
        ...labelled,
        relations: stated.flatMap(({ relation, head, tail }) =>
          asked
            .filter(({ known }) => known.name === relation)
            .flatMap((each) => relationsOf(each, at.get(head)!, at.get(tail)!)),
        ),
      }
    );
  };
}

/** `text => relation head tail; ...`, the ends by their numbers. */
function statementOf(line: string): Statement {
  const [text, facts] = line.split(' => ') as [string, string];
  return {
    template: parseTemplate(text),
    facts: facts.split(';').map((fact) => {
      const [relation, head, tail] = fact.trim().split(' ') as [string, string, string];
      return { relation, head, tail };
    }),
  };
}

function relationsOf(
  { name, known, isConverse }: Named & { readonly name: string },
  head: string,
  tail: string,
): readonly JsonObject[] {
  const [forward, back] = [{ [name]: { head, tail } }, { [name]: { head: tail, tail: head } }];
  if (known.isSymmetric) return [forward, back];
  return [isConverse ? back : forward];
}

const endsOf = ({ known: { ends }, isConverse }: Named): Known['ends'] => (isConverse ? [ends[1], ends[0]] : ends);

function endTypes(templates: readonly Template[], end: string): readonly string[] {
  const types = templates.flatMap((template) =>
    slotsOf(template).flatMap((slot) => {
      const { name, place } = numberedSlot(slot.name);
      return place === end ? SLOTS[name]!(newMemo()).types : [];
    }),
  );
  return [...new Set(types)];
}
