import type { DatasetType, SourceFormat } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { DEFAULT_LIMITS, UnreadableFileError, type FileLimits } from './limits.js';
import { LineSplitter } from './read/json-rows.js';
import { openRows } from './read/rows.js';
import { canonicalRow, type ColumnMapping } from './rows/canonical.js';
import { isTextColumn } from './rows/columns.js';
import { ContentsTally } from './rows/contents.js';
import type { ProblemList } from './rows/problems.js';
import { INDEX_STEP, type RowIndex } from './stored.js';
import { validateRow } from './rows/validate.js';
import type { Contents } from '#domain/dataset/index.js';

export interface ConversionOptions {
  readonly datasetType: DatasetType;
  readonly format: SourceFormat | null;
  readonly fileName: string | null;
  readonly columnMapping: ColumnMapping;
  readonly limits?: FileLimits;
}

export interface Conversion {
  readonly format: SourceFormat;
  readonly rows: number;
  readonly index: RowIndex;
}

/** Stands for a row that could not be read, so that those behind it keep their numbers. */
const UNREADABLE = 'null\n';

/**
 * First step: whatever was uploaded becomes canonical JSONL, the form that is stored. Rows that cannot be read are added
 * to `problems`.
 * @param write takes the next part of the canonical text, and resolves when it wants more
 * @throws UnreadableFileError when the file as a whole is refused; its message is for the user
 */
export async function convertRows(
  source: AsyncIterable<Uint8Array>,
  options: ConversionOptions,
  problems: ProblemList,
  write: (text: Buffer) => Promise<void>,
): Promise<Conversion> {
  const { datasetType, columnMapping, limits = DEFAULT_LIMITS } = options;
  const theirs = new Map(Object.entries(columnMapping).map(([ours, column]) => [column, ours]));
  const isText = (column: string) => isTextColumn(datasetType, theirs.get(column) ?? column);
  const { format, batches } = await openRows(source, { ...options, limits, isText });
  const unmet = new Set(theirs.keys());
  const offsets: number[] = [];
  let rows = 0;
  let bytes = 0;
  for await (const batch of batches) {
    const lines: Buffer[] = [];
    for (const { value, error } of batch) {
      if (rows % INDEX_STEP === 0) offsets.push(bytes);
      rows += 1;
      if (error) problems.add(rows, error);
      for (const column of unmet) if (value && Object.hasOwn(value, column)) unmet.delete(column);
      const row = value && canonicalRow(value, datasetType, columnMapping);
      const line = Buffer.from(row ? `${JSON.stringify(row)}\n` : UNREADABLE);
      bytes += line.length;
      lines.push(line);
    }
    await write(Buffer.concat(lines));
  }
  if (rows === 0) throw new UnreadableFileError('the file holds no rows');
  const [column] = unmet;
  if (column !== undefined)
    throw new UnreadableFileError(
      `column_mapping.${theirs.get(column)} names the column ${JSON.stringify(column.slice(0, 60))}, which no row has`,
    );
  return { format, rows, index: { step: INDEX_STEP, rows, offsets } };
}

/**
 * Second step: looks at every canonical row. What is wrong is added to `problems`.
 * @throws UnreadableFileError when the dataset as a whole is refused
 */
export async function validateRows(
  canonical: AsyncIterable<Uint8Array>,
  options: Pick<ConversionOptions, 'datasetType' | 'limits'> & { readonly format: SourceFormat },
  problems: ProblemList,
): Promise<Contents> {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const tally = new ContentsTally(limits);
  let row = 0;
  for await (const value of canonicalRows(canonical)) {
    row += 1;
    if (value === null) continue;
    const verdict = validateRow(value, options.datasetType, limits);
    if ('problems' in verdict) {
      for (const problem of verdict.problems) problems.add(row, problem);
      continue;
    }
    const problem = tally.add(row, value, verdict.contents);
    if (problem) problems.add(row, problem);
  }
  return tally.contents(options.format);
}

async function* canonicalRows(canonical: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject | null> {
  // Written by ourselves: escapes may have made a row longer than it was, so the limit of files does not apply.
  const splitter = new LineSplitter({ ...DEFAULT_LIMITS, rowBytes: Infinity });
  for await (const chunk of canonical)
    for (const line of splitter.push(Buffer.from(chunk))) yield JSON.parse(line.toString()) as JsonObject | null;
  for (const line of splitter.end()) yield JSON.parse(line.toString()) as JsonObject | null;
}
