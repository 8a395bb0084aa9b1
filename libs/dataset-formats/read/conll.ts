import { looksLikeTag } from '../layouts/tags.js';
import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';
import { LineSplitter } from './line-splitter.js';

const NEWLINE = 0x0a;

/**
 * Whether a text begins as CoNLL files do: a token a line, with columns between tabs or blanks of which the last is a tag, and
 * blank lines between sentences.
 * @param head whole lines, but for the last one
 */
export function looksLikeConll(head: string): boolean {
  const lines = head.split('\n').slice(0, head.endsWith('\n') ? undefined : -1);
  const columns = lines.map(columnsOf).filter((each) => each !== null && !isMark(each));
  return columns.length > 0 && columns.every((each) => each!.length > 1 && looksLikeTag(each!.at(-1)!));
}

/**
 * Cuts CoNLL text (2003 and its like) into blocks of sentences, each a row `{"tokens", "ner_tags"}`. The first column is the token, or the
 * second where the first counts the tokens; the last column is the tag. Lines of `-DOCSTART-` and comments are passed over.
 * @throws UnreadableFileError (while iterating) for a line or sentence that is too long
 * @see https://aclanthology.org/W03-0419
 */
export async function* conllBlocks(
  text: AsyncIterable<Buffer>,
  limits: FileLimits,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const sentences = new Sentences(limits);
  const splitter = new LineSplitter();
  let pending = 0;
  for await (const chunk of text) {
    const last = chunk.lastIndexOf(NEWLINE);
    pending = last < 0 ? pending + chunk.length : chunk.length - last - 1;
    if (pending > limits.rowBytes) throw sentences.tooLong();
    for (const line of splitter.push(chunk)) sentences.add(line.toString());
    if (sentences.bytes >= blockBytes) yield sentences.take();
  }
  for (const line of splitter.end()) sentences.add(line.toString());
  sentences.end();
  if (sentences.bytes > 0) yield sentences.take();
}

class Sentences {
  private lines: Buffer[] = [];
  private held = 0;
  private rows = 0;
  private columns: (readonly string[])[] = [];
  private length = 0;

  constructor(private readonly limits: FileLimits) {}

  /** Bytes of the rows that `take` returns. */
  get bytes(): number {
    return this.held;
  }

  take(): Buffer {
    const taken = Buffer.concat(this.lines, this.held);
    this.lines = [];
    this.held = 0;
    return taken;
  }

  add(line: string): void {
    const columns = columnsOf(line);
    if (columns === null) return this.end();
    if (isMark(columns)) return;
    this.columns.push(columns);
    this.length += line.length;
    if (this.length > this.limits.rowBytes) throw this.tooLong();
  }

  end(): void {
    if (this.columns.length === 0) return;
    const isNumbered = this.columns.every(
      (each, index) => each.length > 2 && Number(each[0]) - index === Number(this.columns[0]![0]),
    );
    const row = {
      tokens: this.columns.map((each) => each[isNumbered ? 1 : 0]!),
      ner_tags: this.columns.flatMap((each) => (each.length > 1 ? [each.at(-1)!] : [])),
    };
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    this.lines.push(line);
    this.held += line.length;
    this.rows += 1;
    this.columns = [];
    this.length = 0;
  }

  tooLong(): UnreadableFileError {
    return new UnreadableFileError(
      `row ${this.rows + 1} is longer than ${inBytes(this.limits.rowBytes)}, the most that one row may be; a blank line ends a sentence`,
    );
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
