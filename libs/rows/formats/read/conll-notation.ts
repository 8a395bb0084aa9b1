import { isOutside, looksLikeTag, tagParts } from '../layouts/parts/tags.js';

/** How a column writes spans: with prefixes (`B-PER`), in brackets (`(PER*`, `*)`) as CoNLL-2012, or by labels alone (`PER`). */
export type Notation = 'prefixes' | 'brackets' | 'labels';

const BRACKETS = /^(?:\(([^\s()*]+)(\*?)(\)?)|\*(\)?))$/u;
/** Roles of predicates, which CoNLL-2005 and 2012 write in brackets, too. */
const ROLE = /^(?:[RC]-)?(?:V|AA|A\d|ARG[A\d]|AM|ARGM)(?:-.*)?$/;

const isPrefixed = (value: string): boolean => value !== 'O' && (looksLikeTag(value) || /^M[-_]\S+$/u.test(value));
const isTag = (value: string): boolean => isPrefixed(value) || isOutside(value);

/** @param share of the values that must be tags; others are errors of their rows @returns null: the values are no tags of one of the first two */
export function notationOf(values: readonly string[], share: number): Notation | null {
  const least = (isOne: (value: string) => boolean) => values.filter(isOne).length >= share * values.length;
  if (values.some(isPrefixed) && least(isTag)) return 'prefixes';
  if (values.includes('O') && values.every(isOutside)) return 'prefixes';
  const labels = values.flatMap((value) => BRACKETS.exec(value)?.[1] ?? []);
  const areSpans = labels.length > 0 && !labels.every((label) => ROLE.test(label));
  return areSpans && values.includes('*') && least((value) => BRACKETS.test(value)) ? 'brackets' : null;
}

/** The tags of a sentence as BIO or labels; undefined: a value that is none in its notation. */
export function tagsIn(values: readonly (string | undefined)[], notation: Notation): readonly (string | undefined)[] {
  if (notation === 'labels') return values;
  if (notation === 'prefixes') return values.map((value) => (value !== undefined && isTag(value) ? value : undefined));
  let open: string | null = null;
  const tags = values.map((value) => {
    const parts = BRACKETS.exec(value ?? '');
    const [, label, star, closed, end] = parts ?? [];
    if (parts === null || (label === undefined ? end === ')' && open === null : open !== null || !(star || closed)))
      return undefined;
    const tag: string = label === undefined ? (open === null ? 'O' : `I-${open}`) : `B-${label}`;
    if (label !== undefined) open = label;
    if (closed || end) open = null;
    return tag;
  });
  return open === null ? tags : [...tags.slice(0, -1), undefined];
}

/** A line of a file that has a label: its token, and the value of the column. */
export type Labelled = readonly [token: string, value: string];

const MAX_LABELS_ALONE = 50;

/** Whether words are labels without prefixes: rare among the tokens, few different ones, and not made of the tokens, as lemmas are. */
export function areLabelsAlone(values: readonly string[], tokens: readonly string[]): boolean {
  const labelled = values.flatMap((value, at): Labelled[] => (isOutside(value) ? [] : [[tokens[at] ?? '', value]]));
  const labels = new Set(labelled.map(([, value]) => value));
  const copies = labelled.filter(([token, value]) => isLikeToken(token, value));
  // Other columns, too, have `_` and `-` where they say nothing.
  const least = values.includes('O') ? labels.size : 2 * labels.size;
  return (
    labels.size > 0 &&
    labels.size <= MAX_LABELS_ALONE &&
    [...labels].every((label) => tagParts(label)?.prefix === 'I' && /^\p{L}[\p{L}\p{N}_./:-]*$/u.test(label)) &&
    2 * labelled.length <= values.length &&
    labelled.length >= least &&
    2 * copies.length < labelled.length
  );
}

const isLikeToken = (token: string, value: string): boolean =>
  token.slice(0, 2).toLowerCase() === value.slice(0, 2).toLowerCase();
