import type { InvalidField } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { piecesOfClass, type TextClass } from './classes.js';
import { chance, pick } from './draw.js';
import { entityTypeOf, ENTITY_TYPES, spelled } from './entity-types.js';
import { readSections, readTemplates } from './english/index.js';
import { textOf, type Piece } from './grammar.js';
import { parseTemplate, slotsOf, type Template } from '../templates/template.js';
import { rowOf } from './labelled.js';
import { MISTAKABLE } from './mistakable.js';
import { paired, sentence } from './sentences.js';
import { newMemo, SLOTS } from './slots.js';

/** Share of rows without any of the requested labels: a model must learn that too. */
const NEGATIVES = 0.12;
/** Share of rows with two sentences. */
const PAIRED = 0.3;
const MAX_TRIES = 40;

interface Line {
  readonly domain: string;
  readonly template: Template;
  readonly slots: readonly string[];
}

const LINES: readonly Line[] = readSections('ner.txt').flatMap(({ name, lines }) =>
  lines.map((source) => {
    const template = parseTemplate(source);
    return {
      domain: name,
      template,
      slots: slotsOf(template).flatMap(({ name: slot }) => (slot in SLOTS ? [slot] : [])),
    };
  }),
);
const PLAIN: readonly Template[] = readTemplates('plain.txt');

export const NER_DOMAINS = readSections('ner.txt').map(({ name, words }) => ({ name, words }));

/** Problems with `labels`; empty when the built-in generator supports every one. */
export function labelProblems(labels: readonly string[]): readonly InvalidField[] {
  const first = new Map<string, string>();
  return labels.flatMap((label, index): InvalidField[] => {
    const path = ['labels', index];
    const type = entityTypeOf(label);
    if (type === null) return [{ path, message: unknownLabel(label), type: 'not_allowed' }];
    const other = first.get(type);
    first.set(type, label);
    if (other === undefined) return [];
    const message = `${JSON.stringify(label)} is the same to the built-in generator as ${JSON.stringify(other)}; leave one out`;
    return [{ path, message, type: 'not_allowed' }];
  });
}

const unknownLabel = (label: string): string =>
  `the built-in generator cannot make ${JSON.stringify(label)} entities; it knows ${ENTITY_TYPES.map(spelled).join(', ')}. ` +
  'For other labels name a decoder of the catalog as model_id';

/**
 * A maker of labelled texts.
 * @param domains whose texts are preferred; empty for all
 */
export function nerRows(labels: readonly string[], domains: ReadonlySet<string>): (row: number) => JsonObject | null {
  const wanted = new Map(labels.map((label) => [entityTypeOf(label)!, label]));
  const usable = LINES.filter(({ slots }) => !slots.some((slot) => isMistakable(slot, wanted)));
  const near = (lines: readonly Line[]) => {
    const preferred = lines.filter(({ domain }) => domains.has(domain));
    return domains.size > 0 && preferred.length > 0 ? preferred : lines;
  };
  const types = [...wanted.keys()];
  const byType = new Map(types.map((type) => [type, near(withType(type, usable, wanted))]));
  const without = near(usable.filter(({ slots }) => slots.every((slot) => typeIn(slot, wanted) === null)));
  return (row) => {
    if (chance(NEGATIVES)) return rowOf(negative(without), wanted);
    const type = types[row % types.length]!;
    const lines = byType.get(type)!;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const pieces = textPieces(lines, near(usable));
      if (pieces.some((piece) => labelsOf(piece, wanted).includes(type))) return rowOf(pieces, wanted);
    }
    return null;
  };
}

/** Lines that contain the type; ambiguous ones too if there are no others. */
function withType(type: string, lines: readonly Line[], wanted: ReadonlyMap<string, string>): readonly Line[] {
  const holds = (line: Line) => line.slots.some((slot) => typeIn(slot, wanted) === type);
  const found = lines.filter(holds);
  return found.length > 0 ? found : LINES.filter(holds);
}

function textPieces(lines: readonly Line[], others: readonly Line[]): readonly Piece[] {
  const { template, domain } = pick(lines);
  const companions = others.filter((line) => line.domain === domain && domain !== 'marketing');
  return paired(
    template,
    companions.length === 0 || chance(0.35) ? PLAIN : companions.map((line) => line.template),
    PAIRED,
  );
}

function negative(without: readonly Line[]): readonly Piece[] {
  if (without.length > 0 && chance(0.6)) return sentence(pick(without).template, newMemo());
  return paired(pick(PLAIN), PLAIN, 0.5);
}

/** The wanted labels of a piece: the narrowest for the whole, or else for its parts. */
function labelsOf({ types, parts }: Piece, wanted: ReadonlyMap<string, string>): readonly string[] {
  const own = types.find((type) => wanted.has(type));
  return own === undefined ? (parts ?? []).flatMap((part) => labelsOf(part, wanted)) : [own];
}

/** A slot's fillings are the narrowest wanted type that they have; null for none. */
function typeIn(slot: string, wanted: ReadonlyMap<string, string>): string | null {
  const types = SLOT_TYPES.get(slot) ?? [];
  return types.find((type) => wanted.has(type)) ?? null;
}

const isMistakable = (slot: string, wanted: ReadonlyMap<string, string>): boolean =>
  typeIn(slot, wanted) === null && (MISTAKABLE[slot] ?? []).some((type) => wanted.has(type));

/** Types of each slot, its parts included. */
const SLOT_TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SLOTS).map(([name, slot]) => {
    const { types, parts = [] } = slot(newMemo());
    return [name, [...types, ...parts.flatMap((part) => part.types)]];
  }),
);

/** A text of a class with the entities of some types in it. */
export const entitiesOfClassText = (of: TextClass, types: readonly string[]): JsonObject | null =>
  rowOf(piecesOfClass(of), new Map(types.map((type) => [type, type])));

/** A text of a domain, with any entities in it. */
export function domainText(domain: string): string {
  const lines = LINES.filter((line) => line.domain === domain).map(({ template }) => template);
  return textOf(paired(pick(lines), lines, PAIRED));
}
