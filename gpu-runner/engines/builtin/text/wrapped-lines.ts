import type { Token } from '#primitives/text/tokens.js';
import { endsSentence } from './sentence-ends.js';

/**
 * Characters of the longest line of a paragraph that was wrapped by hand or by a program; paragraphs with shorter lines
 * are left unchanged.
 */
const MIN_WIDTH = 60;
const MAX_WIDTH = 120;

/** Lines between empty ones. */
interface Paragraph {
  readonly end: number;
  /** Characters of its longest line. */
  readonly width: number;
}

const BREAK = /\r\n|[\n\r]/g;
const EMPTY_LINE = /(?:\r\n|\n|\r(?!\n))[^\S\n\r]*[\n\r]/g;
const PARAGRAPH_END = /[\u2028\u2029]/;
const INTRODUCES = /[:;|]$/;
/** The beginning of an item of a list, a field ("City: Rome"), a quoted line or a row of a table. */
const OWN_LINE = /[^\p{L}\p{N}"'“‘«([]|\p{N}{1,3}[.)]\s|\p{Lu}[\p{L}\p{N} ._-]{0,60}:\s|[\p{L}\p{N}._-]{1,30}:\s/uy;
/** In scripts without spaces any character may begin a line. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/uy;

/**
 * Finds the line breaks at which a sentence continues, as in mails of 72 characters a line: those where the first word
 * of the next line would not have fitted in the line before.
 * @returns a function of the tokens before and after each line break, to be called in text order, for every one
 */
export function wrappedLines(text: string): (last: Token, next: Token) => boolean {
  let paragraph: Paragraph = { end: -1, width: 0 };
  let lineStart = text.search(/\S/);
  return (last, next) => {
    if (last.end > paragraph.end) paragraph = paragraphFrom(text, lineStart);
    const { width } = paragraph;
    const length = last.end - lineStart;
    lineStart = next.start;
    return (
      next.start < paragraph.end &&
      !PARAGRAPH_END.test(text.slice(last.end, next.start)) &&
      width >= MIN_WIDTH &&
      width <= MAX_WIDTH &&
      length + 1 + lengthOfWord(text, next.start) > width &&
      !endsSentence(text, last) &&
      !INTRODUCES.test(last.text) &&
      !standsAt(OWN_LINE, text, next.start) &&
      !standsAt(SPACELESS, text, next.start)
    );
  };
}

function paragraphFrom(text: string, start: number): Paragraph {
  EMPTY_LINE.lastIndex = start;
  const end = EMPTY_LINE.exec(text)?.index ?? text.length;
  let width = 0;
  for (const line of text.slice(start, end).split(BREAK)) width = Math.max(width, line.trim().length);
  return { end, width };
}

function lengthOfWord(text: string, start: number): number {
  let end = start;
  while (end < text.length && end - start < MAX_WIDTH && !/\s/.test(text[end]!)) end += 1;
  return end - start;
}

function standsAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
