import { capitalised, pick } from './draw.js';

/**
 * A text with places to fill. `{name}` is a slot or a phrase; with a capital, `{Name}`, what fills it begins with one; `{a}` is
 * "a" or "an", as what follows asks for. `[one|another|]` is one of several texts, which may hold brackets and slots themselves.
 */
export type Template = readonly Node[];

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'slot'; readonly name: string; readonly capital: boolean }
  | { readonly kind: 'choice'; readonly options: readonly Template[] };

/** A stretch of a text. What it is, from the narrowest word for it to the widest; a plain stretch is nothing. */
export interface Piece {
  readonly text: string;
  readonly types: readonly string[];
  /** What it is made of, where that may be asked for instead. */
  readonly parts?: readonly Piece[];
}

export const ARTICLE = 'a';

/** @throws SyntaxError at a bracket or brace that is not closed */
export function parseTemplate(source: string): Template {
  const reader = new Reader(source);
  const template = reader.sequence(false);
  if (!reader.atEnd) throw new SyntaxError(`"]" or "|" outside of brackets in: ${source}`);
  return template;
}

class Reader {
  private at = 0;
  constructor(private readonly source: string) {}

  get atEnd(): boolean {
    return this.at === this.source.length;
  }

  sequence(inside: boolean): Template {
    const nodes: Node[] = [];
    for (let start = this.at; ; start = this.at) {
      const next = this.source.slice(start).search(inside ? /[[\]{|]/ : /[[\]{]/);
      this.at = next < 0 ? this.source.length : start + next;
      if (this.at > start) nodes.push({ kind: 'text', text: this.source.slice(start, this.at) });
      const mark = this.source[this.at];
      if (mark === '{') nodes.push(this.slot());
      else if (mark === '[') nodes.push(this.choice());
      else return nodes;
    }
  }

  private slot(): Node {
    const match = /^\{(\w+)\}/.exec(this.source.slice(this.at));
    if (!match) throw new SyntaxError(`not a slot: ${this.source.slice(this.at)}`);
    this.at += match[0].length;
    const name = match[1]!;
    return { kind: 'slot', name: name.toLowerCase(), capital: /^[A-Z]/.test(name) };
  }

  private choice(): Node {
    const options: Template[] = [];
    do {
      this.at += 1;
      options.push(this.sequence(true));
    } while (this.source[this.at] === '|');
    if (this.source[this.at] !== ']') throw new SyntaxError(`"[" is not closed in: ${this.source}`);
    this.at += 1;
    return { kind: 'choice', options };
  }
}

/** Slots that a template may name, those of its choices too. */
export const slotsOf = (template: Template): readonly string[] =>
  template.flatMap((node) => {
    if (node.kind === 'slot') return [node.name];
    return node.kind === 'choice' ? node.options.flatMap(slotsOf) : [];
  });

/**
 * One text of a template, as pieces.
 * @param fill what stands in a slot: pieces, or a template of its own
 */
export function realise(template: Template, fill: (slot: string) => Piece | Template): Piece[] {
  const pieces: Piece[] = [];
  for (const node of template) {
    if (node.kind === 'text') pieces.push(plain(node.text));
    else if (node.kind === 'choice') pieces.push(...realise(pick(node.options), fill));
    else if (node.name === ARTICLE) pieces.push({ text: node.capital ? 'A' : 'a', types: [ARTICLE] });
    else {
      const filling = fill(node.name);
      const filled = isTemplate(filling) ? realise(filling, fill) : [filling];
      pieces.push(...(node.capital ? withCapital(filled) : filled));
    }
  }
  return pieces;
}

export const plain = (text: string): Piece => ({ text, types: [] });

const isTemplate = (filling: Piece | Template): filling is Template => Array.isArray(filling);

function withCapital(pieces: Piece[]): Piece[] {
  const [first, ...others] = pieces;
  if (!first) return pieces;
  const { parts: _, ...bare } = first;
  return [{ ...bare, text: capitalised(first.text) }, ...others];
}

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
      // What ends in a full stop itself, "7 p.m.", needs none after it.
      const stopped = merged[index - 1]?.text.endsWith('.') ? piece.text.replace(/^\.(?!\.)/, '') : piece.text;
      return plain(mended(stopped, index, merged.length));
    })
    .filter(({ text }) => text !== '');
}

/** @param index of the stretch among so many; at the ends of a text no blank is left */
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

/** By sound, as far as letters tell it. */
const article = (word: string, following: string): string =>
  /^(?:[aeio]|u(?!ni|s[aei]|ti)|hour|honest|heir|8|1[18]\b|[FHLMNRSX](?=[A-Z0-9]))/i.test(following) &&
  (/^(?:hour|honest|heir|[^fhlmnrsx])/i.test(following) || /^[FHLMNRSX][A-Z0-9]/.test(following)) &&
  !/^(?:one|once|eu)/i.test(following)
    ? `${word}n`
    : word;

export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');
