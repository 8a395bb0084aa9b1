import { ENTITY_TYPE_NAMES } from './entity-types.js';
import { LABEL_ALIASES, unaccented } from './label-aliases.js';

/**
 * Finds the types of the base model for the labels of a request. A label is normalised and looked up as a type, as an
 * alias, and then by its head noun ("delivery city" is a city); other labels have no type.
 */

const TYPES: ReadonlySet<string> = new Set(ENTITY_TYPE_NAMES);

/** Head nouns too vague to determine a type by themselves, though they are aliases when they are alone. */
const VAGUE_HEADS: ReadonlySet<string> = new Set([
  'name', 'title', 'unit', 'label', 'model', 'code', 'order', 'tag', 'card', 'term', 'tool', 'object', 'other', 'skill', 'material', 'treatment',
  'problem', 'condition', 'record', 'reference', 'release', 'role', 'rate', 'share', 'size', 'count', 'number', 'total', 'sum', 'period', 'area',
  'body', 'group', 'party', 'order', 'service', 'work', 'art', 'item', 'article', 'character', 'contact', 'customer', 'patient', 'link', 'file',
  'measure', 'strength', 'capacity', 'element', 'substance', 'single', 'track', 'show', 'series', 'land', 'bar', 'mobile', 'cell', 'carrier',
  'discipline', 'instrument', 'unit', 'office', 'origin', 'destination', 'author', 'case', 'ticket', 'transport', 'type', 'value', 'range',
  'balance', 'share', 'media', 'court', 'player', 'winner', 'method', 'side', 'effect', 'interval', 'hand', 'season', 'id', 'number',
]); // prettier-ignore

/** Last words without a meaning of their own: "city name" is the same request as "city". */
const FILLERS: ReadonlySet<string> = new Set([
  'name',
  'names',
  'value',
  'type',
  'entity',
  'mention',
  'string',
  'field',
  'info',
]);

/** Labels resolved before: calls mostly ask for the same ones. Longer ones, in UTF-16 units, are not kept. */
const MAX_KNOWN = 10_000;
const MAX_KNOWN_LENGTH = 64;
const known = new Map<string, readonly string[]>();

/** @returns names of the base types for a label; none when the base does not know it */
export function resolveLabel(label: string): readonly string[] {
  const found = known.get(label);
  if (found) return found;
  const resolved = resolve(label);
  if (label.length <= MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(label, resolved);
  }
  return resolved;
}

function resolve(label: string): readonly string[] {
  const words = labelWords(label);
  for (const candidate of [words, singular(words)]) {
    const found = lookUp(candidate);
    if (found) return found;
  }
  return byHead(singular(words));
}

/**
 * Resolves the labels of one request together: a type that several labels claim goes to those that claim the fewest
 * types, so that "company" and "organization" requested together do not both return every company.
 * @returns an entry for each distinct label, in order of first occurrence
 */
export function resolveLabels(labels: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const claims = new Map(labels.map((label) => [label, claimOf(label)]));
  const narrowest = new Map<string, number>();
  for (const { types: claimed, breadth } of claims.values())
    for (const type of claimed) narrowest.set(type, Math.min(narrowest.get(type) ?? Infinity, breadth));
  return new Map(
    [...claims].map(([label, { types: claimed, breadth }]) => [
      label,
      claimed.filter((type) => breadth === narrowest.get(type)),
    ]),
  );
}

/** A label that is exactly the name of a type has the first claim on it, even if it means further types. */
function claimOf(label: string): { types: readonly string[]; breadth: number } {
  const claimed = resolveLabel(label);
  return { types: claimed, breadth: claimed.length };
}

/** "deliveryCity", "DELIVERY_CITY" and "delivery-city" are all "delivery city". */
export function labelWords(label: string): string[] {
  return unaccented(label)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** The words with the last in the singular, by regular endings. */
export function singular(words: readonly string[]): string[] {
  const last = words.at(-1);
  if (last === undefined) return [];
  const one =
    last.length > 4 && last.endsWith('ies')
      ? `${last.slice(0, -3)}y`
      : /(ss|x|ch|sh)es$/.test(last)
        ? last.slice(0, -2)
        : last.length > 3 && last.endsWith('s') && !/(ss|us|is)$/.test(last)
          ? last.slice(0, -1)
          : last;
  return [...words.slice(0, -1), one];
}

function lookUp(words: readonly string[]): readonly string[] | null {
  const alias = LABEL_ALIASES.get(words.join(' ')) ?? LABEL_ALIASES.get(words.join(''));
  if (alias) return alias;
  const type = words.join('_');
  return TYPES.has(type) ? [type] : null;
}

function byHead(words: readonly string[]): readonly string[] {
  let rest = words;
  while (rest.length > 1 && FILLERS.has(rest.at(-1)!)) rest = rest.slice(0, -1);
  if (rest.length < words.length) {
    const found = lookUp(rest);
    if (found) return found;
  }
  for (let from = 1; from < rest.length; from++) {
    const head = rest.slice(from);
    if (head.length === 1 && VAGUE_HEADS.has(head[0]!)) return [];
    const found = lookUp(head);
    if (found) return found;
  }
  return [];
}
