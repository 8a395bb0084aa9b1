import type { Json, JsonObject } from '#domain/json.js';
import type { Index } from './port.js';

/** Limits on the indexed words of a document, and on the length of a word. */
const MAX_WORDS = 1_000;
const MAX_CHARACTERS = 64;
const SHORT_WORD = `[0-9A-Za-z]{0,${MAX_CHARACTERS}}`;

/**
 * The words of a text, each once: letters and digits in lower case, without accents. Prefixes of words are not
 * included.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [...new Set((plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, MAX_CHARACTERS)))];
}

/** The index of words; a collection has at most one. */
export const wordIndexOf = (indexes: readonly Index[]): Required<Pick<Index, 'fields' | 'words'>> | null =>
  (indexes.find(({ words }) => words) as Required<Pick<Index, 'fields' | 'words'>> | undefined) ?? null;

/** The words of the texts in these fields of a document, however deep. */
export const indexedWords = (document: JsonObject, fields: readonly string[]): readonly string[] =>
  firstWordsOf(textIn(document, fields));

/** A text of the same words for FTS5, whose tokenizer `unicode61` finds those of plain texts as `wordsOf` does, in half the time. */
export function indexedText(document: JsonObject, fields: readonly string[]): string {
  const text = textIn(document, fields);
  return text.length <= 2 * MAX_WORDS && PLAIN.test(text) ? text : firstWordsOf(text).join(' ');
}

/** ASCII without words that are too long. Looking for one of these would count on from each of its characters. */
const PLAIN = new RegExp(`^(?:${SHORT_WORD}[\\x01-/:-@[-\`{-\\x7f])*${SHORT_WORD}$`);

const firstWordsOf = (text: string): readonly string[] => wordsOf(text).slice(0, MAX_WORDS);

function textIn(document: JsonObject, fields: readonly string[]): string {
  const texts: string[] = [];
  const collect = (value: Json | undefined): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value as JsonObject).forEach(collect);
  };
  for (const field of fields) collect(document[field]);
  return texts.join('\n');
}
