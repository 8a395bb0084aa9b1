import { createHash } from 'node:crypto';
import type { Contents, RowErrors, SourceFormat } from '#domain/dataset/index.js';
import type { ConvertedBlock } from './blocks.js';
import { DEFAULT_LIMITS, inBytes, oneLine, UnreadableFileError, type FileLimits, type Room } from './limits.js';
import type { Cure } from './layouts/mapping.js';
import { chooseLayout, firstSourceRows, OWN_LAYOUT, type ChosenLayout } from './layouts/choose.js';
import { quote } from './rows/spans.js';
import { readAs, ReadingTally } from './layouts/reading.js';
import { OWN_ROWS } from './layouts/registry.js';
import { BLOCK_BYTES } from './read/line-blocks.js';
import { namesByColumn, oneHotColumns, unusedColumns, type LabelNamesOfColumns } from './read/label-names.js';
import { openFile } from './read/open.js';
import type { OpenOptions } from './read/opened-file.js';
import { InvalidTextError } from './read/checked-text.js';
import { leftOutAs } from './read/wrapped.js';
import type { ColumnMapping } from './rows/canonical.js';
import { STORED_OF_CHATS } from './rows/columns.js';
import { refuseNumbers } from './rows/class-numbers.js';
import { ContentsTally } from './rows/contents.js';
import { LeftOutList, UNLABELLED, type LeftOutRows } from './rows/left-out.js';
import { ProblemList } from './rows/problems.js';
import { INDEX_STEP, type RowIndex } from './stored.js';
import { RowThreads, type RowThreadsOptions } from './threads/row-threads.js';

export type ConversionOptions = Omit<OpenOptions, 'limits' | 'blockBytes'> &
  Partial<Pick<OpenOptions, 'limits' | 'blockBytes'>> &
  Partial<RowThreadsOptions> & {
    /** Names for numbers of columns, over those that the file gives. Default: none. */
    readonly labelNames?: LabelNamesOfColumns | undefined;
    /** The share of the rows that may be left out because they are not valid. Default: 0. */
    readonly tolerance?: number;
    /** Default: only the limits on files. */
    readonly room?: Room;
    /** Whether to stop after the first block, at the end of some row. Default: all of the file is read. */
    readonly onlyFirst?: boolean;
  };

/** What of a file was read. */
export interface RowsRead {
  /** Rows of the file. */
  readonly rows: number;
  readonly isWhole: boolean;
  /** With which its rows would be valid, where no layout fits them. */
  readonly cure?: Cure;
}

export interface Conversion {
  readonly format: SourceFormat;
  readonly rows: number;
  readonly read: RowsRead;
  readonly index: RowIndex;
  /** Size and hash of the canonical file. */
  readonly size: number;
  readonly sha256: string;
  /** The contents of the rows, or their problems. */
  readonly verdict:
    | { readonly contents: Contents; readonly leftOut: LeftOutRows | null; readonly refused?: never }
    | { readonly contents?: never; readonly refused: { readonly reason: string; readonly rowErrors: RowErrors } };
}

/** Rows of this type are free, and stay unchanged. */
const RAW = { datasetType: 'records', columnMapping: {} } as const;

/** The share of rows whose text is a path or an address from which on the file is refused. */
const MANY_REFERENCES = 0.9;

/** Blocks in flight per thread. */
const AHEAD = 2;

/**
 * Converts an upload to canonical JSONL, the stored form, and validates every row. Both happen at once, in blocks that
 * threads share; the blocks are written in the order of the file.
 * @param write accepts the next part of the canonical text, and resolves when it wants more
 * @throws UnreadableFileError when the file as a whole is refused; its message is for the user
 */
export async function convertRows(
  source: AsyncIterable<Uint8Array>,
  options: ConversionOptions,
  write: (text: Uint8Array) => Promise<void>,
): Promise<Conversion> {
  const { limits = DEFAULT_LIMITS } = options;
  const { blockBytes = BLOCK_BYTES, threads = 0, heapMiB = 512 } = options;
  const { format, form, blocks, leftOut = [], ...file } = await openFile(source, { ...options, limits, blockBytes });
  const { datasetType, columnMapping } = options.areRaw
    ? RAW
    : { ...options, columnMapping: file.columnMapping ?? options.columnMapping };
  let labelNames = file.labelNames ?? {};
  let unused: readonly string[] = [];
  const written = new WrittenRows(columnMapping, new ContentsTally(limits), { ...options, limits }, write);
  const isDemanded = options.layout === OWN_ROWS;
  let converting: RowThreads | null = null;
  let isWhole = false;
  const begin = (first: Buffer) => {
    const demanded = options.areRaw ? OWN_ROWS : (options.layout ?? file.layout ?? null);
    const given = options.labelNames ?? {};
    const rows =
      Object.keys(given).length === 0 ? [] : firstSourceRows(first, { form, labelNames: {}, oneHot: [], limits });
    const asked = namesByColumn(given, rows, datasetType, columnMapping);
    labelNames = { ...labelNames, ...asked };
    unused = rows.length === 0 ? [] : unusedColumns(rows, asked);
    // Names of the file itself are those of a type, which says that their numbers are.
    const oneHot = oneHotColumns(rows, asked);
    const settings = { form, datasetType, columnMapping, labelNames, oneHot, limits };
    const chosen = chooseLayout(first, settings, demanded);
    written.layout = chosen;
    written.oneHot = oneHot;
    const { layout, assumedUnit, isMultiLabel, classTasks, columns, counting, areWithoutSpans } = chosen;
    const how = {
      layout: layout?.name ?? null,
      assumedUnit,
      isMultiLabel,
      classTasks,
      columns,
      counting,
      areWithoutSpans,
      keepsFaultsOf: options.keepsFaultsOf ?? null,
    };
    return new RowThreads({ ...settings, ...how }, { threads, heapMiB });
  };
  const underWay: Promise<ConvertedBlock>[] = [];
  const oldest = async () => {
    const block = await underWay.shift();
    if (block) await written.add(block);
  };
  const iterator = blocks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch(async (error: unknown) => {
        // The first fault in the file is the one reported.
        while (underWay.length > 0) await oldest();
        throw error instanceof InvalidTextError
          ? new UnreadableFileError(`row ${written.rows + 1}: ${error.message}`)
          : error;
      });
      if (next.done) isWhole = true;
      if (next.done || (options.onlyFirst && converting)) break;
      converting ??= begin(next.value);
      const converted = converting.convert(next.value);
      // Blocks are awaited in order; this keeps a later one's failure from being unhandled.
      converted.catch(() => undefined);
      underWay.push(converted);
      while (underWay.length > threads * AHEAD) await oldest();
    }
    while (underWay.length > 0) await oldest();
    const encoded = [file.container, file.encoding?.(), oneHotAs(written.oneHot), unusedAs(unused)]
      .filter((part) => part !== undefined && part !== null)
      .join(', ');
    const container = leftOut.length === 0 ? encoded || undefined : `${encoded}; ${leftOutAs(leftOut)}`;
    return written.end({
      format,
      container,
      isWhole,
      isAnyText: isDemanded,
      isNamed: (column) =>
        [column, options.columnMapping[column] ?? column, ...written.layout.columns].some(
          (name) => Object.hasOwn(labelNames, name) || Object.hasOwn(options.labelNames ?? {}, name),
        ) || options.areRaw === true,
    });
  } finally {
    await Promise.all([converting?.close(), iterator.return?.()]);
  }
}

const unusedAs = (columns: readonly string[]): string | null =>
  columns.length === 0
    ? null
    : `label_names for ${columns.map((name) => JSON.stringify(name)).join(' ')} not used, which the first rows lack`;

const oneHotAs = (columns: readonly string[]): string | null =>
  columns.length === 0
    ? null
    : `lists in ${columns.map((name) => JSON.stringify(name)).join(' ')} read as 1 for each name`;

/** Converted blocks in the order of the file. */
class WrittenRows {
  /** Rows of the file. */
  rows = 0;
  layout: ChosenLayout = OWN_LAYOUT;
  oneHot: readonly string[] = [];
  private stored = 0;
  private bytes = 0;
  private readonly hash = createHash('sha256');
  private readonly offsets: number[] = [];
  private readonly problems = new ProblemList();
  private readonly unlabelled = new ProblemList();
  private readonly leftOut = new LeftOutList();
  private readonly references = { count: 0, first: '' };
  /** Whether rows contradict each other: none of them is wrong by itself, so none can be left out. */
  private areMixed = false;
  private readonly reading = new ReadingTally();
  private readonly unmet: Map<string, string>;

  constructor(
    mapping: ColumnMapping,
    private readonly tally: ContentsTally,
    private readonly bounds: { readonly limits: FileLimits; readonly room?: Room; readonly tolerance?: number },
    private readonly write: (text: Uint8Array) => Promise<void>,
  ) {
    this.unmet = new Map(Object.entries(mapping).map(([ours, column]) => [column, ours]));
  }

  /** @throws UnreadableFileError when this block's content makes the file unacceptable */
  async add({
    rows,
    text,
    ends,
    problems,
    contents,
    reading,
    mapped,
    refused,
    ...block
  }: ConvertedBlock): Promise<void> {
    if (refused) {
      const { before, row, after } = refused;
      throw new UnreadableFileError(row === null ? before : `${before} ${this.rows + row} ${after}`);
    }
    const contradictions = this.tally.append(this.rows, contents);
    this.areMixed ||= contradictions.total > 0;
    this.problems.append(this.rows, problems, contradictions);
    this.unlabelled.append(this.rows, block.unlabelled);
    this.leftOut.append(this.rows, block.leftOut);
    if (this.references.count === 0) this.references.first = block.references.first;
    this.references.count += block.references.count;
    for (const column of mapped) this.unmet.delete(column);
    this.reading.append(this.rows, reading);
    for (let row = (INDEX_STEP - (this.stored % INDEX_STEP)) % INDEX_STEP; row < ends.length; row += INDEX_STEP)
      this.offsets.push(this.bytes + (row === 0 ? 0 : (ends[row - 1] ?? 0)));
    this.rows += rows;
    this.stored += ends.length;
    this.bytes += text.byteLength;
    this.refuseBeyondBounds();
    // Rows of a file that is refused are not kept.
    if (this.problems.rows > 0 && (this.areMixed || !this.bounds.tolerance)) return;
    this.hash.update(text);
    await this.write(text);
  }

  private refuseBeyondBounds(): void {
    const { limits, room } = this.bounds;
    if (this.bytes > limits.unpackedBytes)
      throw new UnreadableFileError(`the rows are longer than ${inBytes(limits.unpackedBytes)} as JSON`);
    if (room && (this.bytes > room.bytes || this.stored > room.rows))
      throw new UnreadableFileError(
        `storage quota: the rows take more than the ${room.bytes} bytes or ${room.rows} rows that this workspace has left; ` +
          'delete datasets, training jobs or evaluations, or ask the operator for more, and upload the file again',
      );
  }

  /** @throws UnreadableFileError when there are no rows, or none has a column that is mapped */
  end({
    format,
    container,
    isWhole,
    isAnyText,
    isNamed,
  }: {
    readonly format: SourceFormat;
    readonly container: string | undefined;
    readonly isWhole: boolean;
    /** Whether texts may be paths and addresses. */
    readonly isAnyText: boolean;
    /** Whether the numbers of a column of labels have names. */
    readonly isNamed: (column: string) => boolean;
  }): Conversion {
    if (this.rows === 0) throw new UnreadableFileError('the file holds no rows');
    const [unmet] = this.unmet;
    if (unmet !== undefined) {
      const [column, ours] = unmet;
      const named = JSON.stringify(column.slice(0, 60));
      throw new UnreadableFileError(`column_mapping.${ours} names the column ${named}, which no row has`);
    }
    if (!isAnyText) this.refuseReferences();
    const refused = this.refusal();
    const { layout, assumedUnit, classTasks, hint, cure, read } = this.layout;
    const found = this.tally.contents(format);
    const areChats = found.heads.some((head) => head === 'messages' || head === 'preferences');
    const columns = found.heads.length === 0 ? [] : (found.columns ?? []);
    const reading = this.reading.reading(layout, assumedUnit, {
      rows: this.rows,
      isByTask: classTasks !== null,
      unused: { read, kept: areChats ? columns.filter((column) => !STORED_OF_CHATS.includes(column)) : columns },
    });
    if (reading && this.stored === 0 && !refused)
      throw new UnreadableFileError(`the file holds nothing to learn from; it was read as ${readAs({ reading })}`);
    const said = { ...(container && { container }), ...(reading && { reading }) };
    const contents = { ...found, ...said };
    if (format === 'csv' || format === 'tsv') refuseNumbers(contents, isNamed);
    return {
      format,
      rows: this.stored,
      read: { rows: this.rows, isWhole, ...(cure && { cure }) },
      index: { step: INDEX_STEP, rows: this.stored, offsets: this.offsets },
      size: this.bytes,
      sha256: this.hash.digest('hex'),
      verdict: refused
        ? { refused: hint ? { ...refused, reason: oneLine(`${refused.reason}; ${hint}`) } : refused }
        : { contents, leftOut: this.leftOut.told(this.rows, this.problems, this.unlabelled) },
    };
  }

  /** Why the file is refused because of its rows; null: it is accepted, without those that are left out. */
  private refusal() {
    // Where a layout says that no row has a label, the reading of the file tells more.
    if (this.stored === 0 && this.unlabelled.reasons.some(({ reason }) => reason !== UNLABELLED.reason))
      this.problems.append(0, this.unlabelled.part());
    const { tolerance = 0 } = this.bounds;
    const isTolerated = this.stored > 0 && !this.areMixed && this.problems.rows <= tolerance * this.rows;
    return isTolerated ? null : this.problems.verdict();
  }

  /** @throws UnreadableFileError when nearly all texts only say where a text is */
  private refuseReferences(): void {
    const { count, first } = this.references;
    if (count === 0 || count < MANY_REFERENCES * this.stored) return;
    throw new UnreadableFileError(
      `the texts of ${count} of ${this.stored} rows are paths or addresses, such as ${quote(first)}; they are not opened: put the texts ` +
        'themselves into the rows (or, if the addresses are what a model shall learn, upload with "format": "rows")',
    );
  }
}
