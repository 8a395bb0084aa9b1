import { chosen, type Template } from '../templates/template.js';
import { capitalised, pick } from './draw.js';

/** A stretch of a text with its labels, from the narrowest to the widest; a plain stretch has none. */
export interface Piece {
  readonly text: string;
  readonly types: readonly string[];
  /** Pieces that may be labelled instead of the whole. */
  readonly parts?: readonly Piece[];
  /** The place that a sentence gives it, such as an end of a relation. */
  readonly place?: string;
}

/** `{a}` is "a" or "an", depending on the next word. */
const ARTICLE = 'a';

/**
 * Realises a template as pieces.
 * @param fill the piece for a slot
 */
export function realise(template: Template, fill: (slot: string) => Piece): Piece[] {
  const pieces: Piece[] = [];
  for (const node of chosen(template, pick)) {
    if (node.kind === 'text') pieces.push(plain(node.text));
    else {
      const piece = node.name === ARTICLE ? { text: 'a', types: [ARTICLE] } : fill(node.name);
      pieces.push(node.style === 'plain' ? piece : withCapital(piece));
    }
  }
  return pieces;
}

export const plain = (text: string): Piece => ({ text, types: [] });

const withCapital = ({ text, types, place }: Piece): Piece => ({
  ...{ text: capitalised(text), types },
  ...(place !== undefined && { place }),
});

/** Decides the articles, and mends what empty choices left behind: doubled blanks, a comma before a full stop. */
export function tidied(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  for (const [index, piece] of pieces.entries()) {
    const isArticle = piece.types[0] === ARTICLE;
    const text = isArticle ? article(piece.text, followingText(pieces, index)) : piece.text;
    const before = merged.at(-1);
    if (text === '') continue;
    if (piece.types.length > 0 && !isArticle) merged.push(piece);
    else if (before?.types.length === 0) merged[merged.length - 1] = plain(before.text + text);
    else merged.push(plain(text));
  }
  return merged
    .map((piece, index) => {
      if (piece.types.length > 0) return piece;
      // A piece that ends in a full stop, such as "7 p.m.", needs none after it.
      const stopped = merged[index - 1]?.text.endsWith('.') ? piece.text.replace(/^\.(?!\.)/, '') : piece.text;
      return plain(mended(stopped, index, merged.length));
    })
    .filter(({ text }) => text !== '');
}

/** @param index of the stretch among `count`; at the ends of a text no blank is left */
function mended(text: string, index: number, count: number): string {
  const inside = text
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ +([.,!?;:])/g, '$1')
    .replaceAll(/[,;]+(?=[.!?])/g, '')
    .replaceAll(/,{2,}/g, ',');
  const begun = index === 0 ? inside.trimStart() : inside;
  return index === count - 1 ? begun.replace(/[,; ]+$/, '') : begun;
}

const followingText = (pieces: readonly Piece[], index: number): string =>
  pieces
    .slice(index + 1)
    .map(({ text }) => text)
    .join('')
    .trimStart();

/** Chooses `a` or `an` by the sound, as far as spelling shows it. */
const article = (word: string, following: string): string =>
  /^(?:[aeio]|u(?!ni|s[aei]|ti)|hour|honest|heir|8|1[18]\b|[FHLMNRSX](?=[A-Z0-9]))/i.test(following) &&
  (/^(?:hour|honest|heir|[^fhlmnrsx])/i.test(following) || /^[FHLMNRSX][A-Z0-9]/.test(following)) &&
  !/^(?:one|once|eu)/i.test(following)
    ? `${word}n`
    : word;

export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');
