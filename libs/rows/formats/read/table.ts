import type { SourceFormat } from '#domain/dataset/index.js';
import type { Separator } from '../blocks.js';
import type { FileLimits } from '../limits.js';
import { isDetected } from '../layouts/registry.js';
import { isPairColumn, isTextColumn, ownColumn } from '../rows/columns.js';
import { openCsv } from './csv.js';
import { columnNumbers, headerless } from './headerless.js';
import { refuseAnnotations } from './projects.js';
import type { OpenedFile, OpenOptions } from './opened-file.js';
import { declaredSeparator, hasQuotedBreaks, separatorOf } from './separator.js';
import { sentenceBlocks, tokenTableOf } from './token-table.js';
import { from, peek } from './unpack.js';

const WORDS: Readonly<Record<Separator, string | null>> = {
  ',': null,
  ';': 'CSV separated by semicolons',
  '|': 'CSV separated by bars',
  '\t': 'lines of cells separated by tabs',
};

/**
 * Opens CSV, TSV and their like. @param begun the beginning of the text
 * @throws UnreadableFileError (while iterating, too)
 */
export async function openTable(
  whole: AsyncIterable<Buffer>,
  begun: Buffer,
  told: SourceFormat | null,
  options: OpenOptions,
): Promise<OpenedFile> {
  const declared = declaredSeparator(begun);
  const head = begun.subarray(declared?.bytes ?? 0);
  const text = declared === null ? whole : from(whole, declared.bytes);
  const { datasetType, columnMapping, layout, limits, blockBytes } = options;
  const tab = declared?.separator ?? (told === 'tsv' ? '\t' : null);
  const named = isLookedAt(options) && layout !== 'tokens' ? headerless(head, tab, limits) : null;
  const separator = named?.separator ?? tab ?? separatorOf(head);
  const areQuoted = separator === '\t' && hasQuotedBreaks(head, limits);
  const namesOf = (cells: readonly string[]) => (named === null ? columnNumbers(columnMapping, cells) : named.names);
  const { header, blocks } = await openCsv(text, limits, blockBytes, separator, namesOf, areQuoted);
  refuseAnnotations(header);
  const said = WORDS[separator];
  const format = separator === '\t' ? 'tsv' : 'csv';
  const tokens = isLookedAt(options) && named === null ? await tokenTableIn(blocks, header, separator, limits) : null;
  if (tokens?.table)
    return {
      format,
      container: `${said ?? 'CSV'} with a token in each row`,
      layout: 'tokens',
      form: { kind: 'lines', unit: 'row', isKept: false },
      blocks: sentenceBlocks(tokens.blocks, tokens.table, separator, limits, blockBytes),
    };
  const ours = new Map(Object.entries(columnMapping).map(([our, column]) => [column, our]));
  const known = header.map((name) => ours.get(name) ?? ownColumn(datasetType, name) ?? name);
  const holds = (column: string) => {
    if (isPairColumn(datasetType, column, known)) return 'messages';
    return isTextColumn(datasetType, column) ? 'text' : 'json';
  };
  const columns = header.map((name, index) => ({ name, holds: holds(known[index]!) }) as const);
  return {
    format,
    ...((said !== null || named !== null) && {
      container: [said ?? 'CSV', ...(named === null ? [] : [named.said])].join(' '),
    }),
    ...(named?.labelNames && { labelNames: named.labelNames }),
    form: { kind: 'csv', columns, separator, areQuoted },
    blocks: tokens?.blocks ?? blocks,
  };
}

/** Whether the rows of a table may be tokens: nothing declares otherwise. */
const isLookedAt = ({ datasetType, columnMapping, layout, areRaw }: OpenOptions): boolean =>
  !areRaw &&
  isDetected(datasetType) &&
  Object.keys(columnMapping).length === 0 &&
  (layout === undefined || layout === null || layout === 'tokens');

async function tokenTableIn(
  blocks: AsyncIterable<Buffer>,
  header: readonly string[],
  separator: Separator,
  limits: FileLimits,
) {
  const { head, rest } = await peek(blocks, 1);
  return { table: tokenTableOf(header, head, separator, limits), blocks: rest };
}
