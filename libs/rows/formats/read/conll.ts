import { looksLikeTag } from '../layouts/parts/tags.js';
import type { FileLimits } from '../limits.js';
import { MadeRows } from './made-rows.js';

/**
 * Whether a text begins like a CoNLL file: a token a line, with columns between tabs or blanks of which the last is a
 * tag, and blank lines between sentences.
 * @param head whole lines, except the last one
 */
export function looksLikeConll(head: string): boolean {
  const lines = head.split('\n').slice(0, head.endsWith('\n') ? undefined : -1);
  const columns = lines.map(columnsOf).filter((each) => each !== null && !isMark(each));
  return columns.length > 0 && columns.every((each) => each!.length > 1 && looksLikeTag(each!.at(-1)!));
}

/**
 * Cuts CoNLL text (2003 and its like) into blocks of sentences, each a row `{"tokens", "ner_tags"}`. The first column
 * is the token, or the second if the first counts the tokens; the last column is the tag. Lines of `-DOCSTART-` and
 * comments are skipped.
 * @throws UnreadableFileError (while iterating) for a line or sentence that is too long
 * @see https://aclanthology.org/W03-0419
 */
export function conllBlocks(
  text: AsyncIterable<Buffer>,
  limits: FileLimits,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const rows = new MadeRows(limits, 'a blank line ends a sentence');
  return rows.ofLines(text, new Sentence(rows), blockBytes);
}

/** Lines of a sentence until its end, when it is known whether their first column counts them. */
class Sentence {
  private lines: (readonly string[])[] = [];
  private length = 0;

  constructor(private readonly rows: MadeRows) {}

  add(line: string): void {
    const columns = columnsOf(line);
    if (columns === null) return this.end();
    if (isMark(columns)) return;
    this.lines.push(columns);
    this.length += line.length;
    this.rows.requireFit(this.length);
  }

  end(): void {
    if (this.lines.length === 0) return;
    const isNumbered = this.lines.every(
      (each, index) => each.length > 2 && Number(each[0]) - index === Number(this.lines[0]![0]),
    );
    this.rows.add({
      tokens: this.lines.map((columns) => columns[isNumbered ? 1 : 0]!),
      ner_tags: this.lines.flatMap((columns) => (columns.length > 1 ? columns.at(-1)! : [])),
    });
    this.lines = [];
    this.length = 0;
  }
}

/** Null for a blank line. Tabs divide a line that has any, so that tokens may have blanks. */
function columnsOf(line: string): readonly string[] | null {
  const trimmed = line.trim();
  if (trimmed === '') return null;
  return trimmed.includes('\t') ? trimmed.split('\t').map((column) => column.trim()) : trimmed.split(/ +/);
}

/** The beginning of a document, or a comment. */
const isMark = (columns: readonly string[]): boolean =>
  columns[0] === '-DOCSTART-' || (columns[0]!.startsWith('#') && !looksLikeTag(columns.at(-1)!));
