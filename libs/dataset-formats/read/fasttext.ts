import { UnreadableFileError, inBytes, type FileLimits } from '../limits.js';
import { LineSplitter } from './line-splitter.js';

const PREFIX = '__label__';

/**
 * Whether each line of a text has labels in fastText's form: words that begin with `__label__`.
 * @param head whole lines, except the last one
 */
export function looksLikeFastText(head: string): boolean {
  const lines = head
    .split('\n')
    .slice(0, head.endsWith('\n') ? undefined : -1)
    .map(wordsOf)
    .filter(({ length }) => length > 0);
  const isLine = (words: readonly string[]) => {
    const labels = words.filter(isLabel);
    return labels.length > 0 && labels.length < words.length && !labels.some((label) => /[,"]/.test(label));
  };
  return lines.length > 0 && lines.every(isLine);
}

/**
 * Lines of fastText as rows `{"text", "fasttext": [label]}`. Words that begin with `__label__` are labels, at any
 * place.
 * @throws UnreadableFileError (while iterating) for a line that is too long
 * @see https://fasttext.cc/docs/en/supervised-tutorial.html
 */
export async function* fastTextBlocks(
  text: AsyncIterable<Buffer>,
  { rowBytes }: Pick<FileLimits, 'rowBytes'>,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const splitter = new LineSplitter();
  let rows: string[] = [];
  let held = 0;
  let lines = 0;
  const add = (line: Buffer) => {
    lines += 1;
    if (line.length > rowBytes)
      throw new UnreadableFileError(`line ${lines} is longer than ${inBytes(rowBytes)}, the most that one row may be`);
    const row = rowOf(line.toString());
    if (row === null) return;
    rows.push(row);
    held += row.length;
  };
  const take = () => {
    const block = Buffer.from(rows.join(''));
    rows = [];
    held = 0;
    return block;
  };
  for await (const chunk of text) {
    splitter.push(chunk).forEach(add);
    if (splitter.unfinished > rowBytes)
      throw new UnreadableFileError(
        `line ${lines + 1} is longer than ${inBytes(rowBytes)}, the most that one row may be`,
      );
    if (held >= blockBytes) yield take();
  }
  splitter.end().forEach(add);
  if (held > 0) yield take();
}

/** Null for a blank line. */
function rowOf(line: string): string | null {
  const words = wordsOf(line);
  if (words.length === 0) return null;
  const labels = words.filter(isLabel).map((word) => word.slice(PREFIX.length));
  const text = labels.length === 0 ? line.trim() : line.replaceAll(/(?:^|\s)__label__\S+/gu, '').trim();
  return `${JSON.stringify({ text, fasttext: [...new Set(labels)] })}\n`;
}

const wordsOf = (line: string): readonly string[] => line.split(/\s+/).filter(Boolean);
const isLabel = (word: string): boolean => word.length > PREFIX.length && word.startsWith(PREFIX);
