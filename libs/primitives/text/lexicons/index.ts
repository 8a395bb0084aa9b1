import { readdirSync, readFileSync } from 'node:fs';

/** The project's own word lists, from which the built-in base model learned and synthetic rows are made. */
const FOLDER = new URL('./english/', import.meta.url);

export const wordListNames = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map((name) => name.replace('.txt', ''));

/** @returns the distinct items of a list, in the order of its file */
export const readWordList = (name: string): string[] =>
  parseWordList(readFileSync(new URL(`${name}.txt`, FOLDER), 'utf8'));

/** Items are separated by semicolons or line breaks and kept once; lines that begin with // are comments. */
export function parseWordList(text: string): string[] {
  const items = text
    .split('\n')
    .filter((line) => !line.startsWith('//'))
    .flatMap((line) => line.split(';'))
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return [...new Set(items)];
}
