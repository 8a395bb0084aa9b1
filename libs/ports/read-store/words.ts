import type { Json, JsonObject } from '#domain/json.js';
import type { Index } from './port.js';

/** Limits on the indexed words of a document, and on the length of a word. */
const MAX_WORDS = 1_000;
const MAX_CHARACTERS = 64;

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
export function indexedWords(document: JsonObject, fields: readonly string[]): readonly string[] {
  const texts: string[] = [];
  const collect = (value: Json | undefined): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value as JsonObject).forEach(collect);
  };
  for (const field of fields) collect(document[field]);
  return wordsOf(texts.join('\n')).slice(0, MAX_WORDS);
}
