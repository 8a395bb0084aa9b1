import { looksLikeTag } from '../layouts/parts/tags.js';
import type { Separator } from '../blocks.js';
import { UnreadableFileError, type FileLimits } from '../limits.js';
import { csvRecords } from './csv.js';
import { MadeRows } from './made-rows.js';

/** A table with a token a row, by the places of its columns. */
interface TokenTable {
  readonly token: number;
  readonly tag: number;
  /** Columns that identify a token's sentence; none: a record without values separates sentences. */
  readonly sentence: readonly number[];
}

/** Names of columns, their letters alone in lower case. */
export const TOKENS = ['word', 'words', 'token', 'tokens'];
export const TAGS = ['nertag', 'nertags', 'ner', 'bio', 'iob', 'tag', 'tags', 'label', 'labels', 'entity'];
const SENTENCE =
  /^(?:(?:sentence|sent)(?:id|idx|index|no|num|number)?|(?:document|doc|text|article|page)(?:id|idx|index|no|num|number)|document|doc|file|filename)$/;
const MAX_SAMPLED_RECORDS = 200;

/**
 * Whether each row of a table is a token with its tag, as in Kaggle's `Sentence #,Word,POS,Tag`; null: another table.
 * @param head the first records after the header row
 * @throws UnreadableFileError when the ends of sentences are not marked
 */
export function tokenTableOf(
  header: readonly string[],
  head: Uint8Array,
  separator: Separator,
  limits: FileLimits,
): TokenTable | null {
  const names = header.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  const placeOf = (wanted: readonly string[]) => wanted.map((name) => names.indexOf(name)).find((at) => at >= 0);
  const [token, tag] = [placeOf(TOKENS), placeOf(TAGS)];
  if (token === undefined || tag === undefined) return null;
  const records = firstRecords(head, separator, limits);
  const tagged = records.filter((cells) => (cells[token] ?? '') !== '');
  const isToken = (cells: readonly string[]) => !/^\[['"]/.test(cells[token]!) && !/\s|^[-\d]./.test(cells[tag] ?? '');
  if (!tagged.every(isToken)) return null;
  if (!tagged.some((cells) => looksLikeTag(cells[tag] ?? ''))) return null;
  const sentence = names.flatMap((name, at) => (SENTENCE.test(name) && at !== token && at !== tag ? [at] : []));
  if (sentence.length === 0 && !records.some(isBlank)) throw withoutSentences(header[token]!, header[tag]!);
  return { token, tag, sentence };
}

function firstRecords(head: Uint8Array, separator: Separator, limits: FileLimits): readonly (readonly string[])[] {
  const records: (readonly string[])[] = [];
  const take = (cells: readonly string[]) => records.push(cells) === MAX_SAMPLED_RECORDS;
  csvRecords(head, limits, separator, take, { areEmptyKept: true });
  return records;
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

const withoutSentences = (token: string, tag: string) =>
  new UnreadableFileError(
    `each row is a token (columns ${JSON.stringify(token)} and ${JSON.stringify(tag)}), and nothing says which sentence it is in: add a ` +
      'column sentence_id, or an empty row behind each sentence',
  );

/**
 * Converts a table's blocks to rows `{"tokens", "ner_tags"}`. A sentence ends where one of its columns changes; an
 * empty value repeats the one before.
 * @throws UnreadableFileError (while iterating) for a record that cannot be read, or a sentence that is too long
 */
export async function* sentenceBlocks(
  blocks: AsyncIterable<Buffer>,
  { token, tag, sentence }: TokenTable,
  separator: Separator,
  limits: FileLimits,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const rows = new MadeRows(limits, 'its columns say that all of it is one sentence');
  let tokens: string[] = [];
  let tags: string[] = [];
  let length = 0;
  const current = new Map<number, string>();
  let records = 0;
  const end = () => {
    if (tokens.length > 0) rows.add({ tokens, ner_tags: tags });
    [tokens, tags, length] = [[], [], 0];
  };
  const take = (cells: readonly string[]): void => {
    records += 1;
    if (sentence.length === 0 && isBlank(cells)) return end();
    for (const at of sentence) {
      const value = cells[at] ?? '';
      if (value === '' || value === current.get(at)) continue;
      end();
      current.set(at, value);
    }
    const word = (cells[token] ?? '').trim();
    if (word === '') return;
    const label = (cells[tag] ?? '').trim();
    tokens.push(word);
    tags.push(label);
    length += word.length + label.length;
    rows.requireFit(length);
  };
  for await (const block of blocks) {
    const { refused } = csvRecords(block, limits, separator, take, { areEmptyKept: true });
    if (refused !== null) throw new UnreadableFileError(`the record behind record ${records} ${refused}`);
    if (rows.bytes >= blockBytes) yield rows.take();
  }
  end();
  if (rows.bytes > 0) yield rows.take();
}
