import { UnreadableFileError, inBytes, type FileLimits } from '../limits.js';
import { lineBlocks } from './line-blocks.js';
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
  limits: Pick<FileLimits, 'rowBytes'>,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  let lines = 0;
  for await (const block of lineBlocks(text, limits, blockBytes)) {
    const splitter = new LineSplitter();
    const rows = [...splitter.push(block), ...splitter.end()].map((line) => {
      lines += 1;
      if (line.length > limits.rowBytes)
        throw new UnreadableFileError(
          `line ${lines} is longer than ${inBytes(limits.rowBytes)}, the most that one row may be`,
        );
      return rowOf(line.toString());
    });
    const converted = Buffer.from(rows.join(''));
    if (converted.length > 0) yield converted;
  }
}

/** Empty for a blank line. */
function rowOf(line: string): string {
  const words = wordsOf(line);
  if (words.length === 0) return '';
  const labels = words.filter(isLabel).map((word) => word.slice(PREFIX.length));
  const text = labels.length === 0 ? line.trim() : line.replaceAll(/(?:^|\s)__label__\S+/gu, '').trim();
  return `${JSON.stringify({ text, fasttext: [...new Set(labels)] })}\n`;
}

const wordsOf = (line: string): readonly string[] => line.split(/\s+/).filter(Boolean);
const isLabel = (word: string): boolean => word.length > PREFIX.length && word.startsWith(PREFIX);
