import { readFileSync } from 'node:fs';

/** Splits the text of a lexicon file: items are separated by semicolons or line breaks, lines beginning with // are comments. */
export function parseLexicon(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('//'))
    .flatMap((line) => line.split(';'))
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** @returns the items of `lexicons/<name>.txt`, without repetitions, in file order */
export function readLexicon(name: string): string[] {
  return [...new Set(parseLexicon(readFileSync(new URL(`./lexicons/${name}.txt`, import.meta.url), 'utf8')))];
}
