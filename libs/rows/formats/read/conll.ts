import type { JsonObject } from '#domain/json.js';
import { UNTAGGED_LINE } from '../layouts/parts/tags.js';
import type { FileLimits } from '../limits.js';
import {
  columnsIn,
  isEmptyNode,
  isMark,
  isRange,
  isSameLine,
  tagIn,
  type ConllColumns,
  type TagColumn,
} from './conll-columns.js';
import { tagsIn } from './conll-notation.js';
import { MadeRows } from './made-rows.js';

/**
 * Cuts CoNLL text (2003 and its like, CoNLL-U) into blocks of sentences, each a row `{"tokens", "ner_tags"}`, with `nested_ner_tags` if
 * there are two layers of tags, and `text` if the file has it. Lines of `-DOCSTART-` and comments are skipped.
 * @throws UnreadableFileError (while iterating) for a line or sentence that is too long
 * @see https://aclanthology.org/W03-0419 https://universaldependencies.org/format.html
 */
export function conllBlocks(
  text: AsyncIterable<Buffer>,
  columns: ConllColumns,
  limits: FileLimits,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const rows = new MadeRows(limits, 'a blank line ends a sentence');
  return rows.ofLines(text, new Sentence(rows, columns), blockBytes);
}

/** A word of a sentence, its tags as the file has them. Undefined tags: its line ends before them. */
interface Word {
  readonly line: string;
  readonly token: string;
  readonly tag: string | undefined;
  readonly nested: string | undefined;
  /** Whether the file says that no blank follows. */
  readonly isAttached: boolean;
}

/** Lines of a sentence until its end. */
class Sentence {
  private words: Word[] = [];
  private said: string | null = null;
  private length = 0;
  /** A multiword token, and the words that it stands for which are still to come. */
  private multiword: { readonly line: readonly string[]; readonly last: number; words: Word[] } | null = null;

  constructor(
    private readonly rows: MadeRows,
    private readonly columns: ConllColumns,
  ) {}

  add(line: string): void {
    const columns = columnsIn(line, this.columns);
    if (columns === null) return this.end();
    if (isSameLine(columns, this.columns.header)) return;
    this.length += line.length;
    this.rows.requireFit(this.length);
    const { token, tags } = this.columns;
    if (isMark(line, columns, this.columns, tags)) {
      this.said = /^#\s*text\s*=\s*(.*?)\s*$/.exec(line)?.[1] ?? this.said;
      return;
    }
    const [index = ''] = columns;
    // Only an index in front of the token can be that of several words.
    if (token > 0 && isEmptyNode(index)) return;
    if (token > 0 && isRange(index)) {
      this.endMultiword();
      this.multiword = { line: columns, last: Number(index.split('-')[1]), words: [] };
      return;
    }
    const word = this.wordOf(columns);
    if (this.multiword === null) return void this.words.push(word);
    this.multiword.words.push(word);
    if (Number(index) >= this.multiword.last) this.endMultiword();
  }

  end(): void {
    this.endMultiword();
    if (this.words.length > 0) this.rows.add(this.row());
    this.words = [];
    this.said = null;
    this.length = 0;
  }

  private row(): JsonObject {
    const { words } = this;
    const { tags, nested } = this.columns;
    const inRow = (each: 'tag' | 'nested', { notation }: TagColumn) =>
      tagsIn(
        words.map((word) => word[each]),
        notation,
      );
    const read = inRow('tag', tags);
    const untagged = read.indexOf(undefined);
    const textOf = () => words.map(({ token, isAttached }) => (isAttached ? token : `${token} `)).join('');
    const text = this.said ?? (words.some(({ isAttached }) => isAttached) ? textOf().trim() : null);
    return {
      tokens: words.map(({ token }) => token),
      ner_tags: read.flatMap((tag) => tag ?? []),
      ...(untagged >= 0 && { [UNTAGGED_LINE]: words[untagged]!.line }),
      ...(nested && { nested_ner_tags: inRow('nested', nested).flatMap((tag) => tag ?? []) }),
      ...(text !== null && { text }),
    };
  }

  private wordOf(columns: readonly string[]): Word {
    const { token, tags, nested } = this.columns;
    return {
      line: columns.join(' '),
      token: columns[token] ?? '',
      tag: tagIn(columns, tags, this.columns),
      nested: nested === null ? undefined : tagIn(columns, nested, this.columns),
      isAttached: columns.length > 2 && columns.at(-1)!.split('|').includes('SpaceAfter=No'),
    };
  }

  /** A multiword token is a word with the first tag of a span that its parts have: the text has it as one. */
  private endMultiword(): void {
    if (this.multiword === null) return;
    const { line, words } = this.multiword;
    const first = (tags: readonly (string | undefined)[]) => tags.find((tag) => tag !== 'O' && tag !== '_') ?? tags[0];
    this.words.push({
      ...this.wordOf(line),
      tag: first(words.map(({ tag }) => tag)),
      nested: first(words.map(({ nested }) => nested)),
    });
    this.multiword = null;
  }
}
