import type { SourceFormat } from '#domain/dataset/index.js';
import { UnreadableFileError } from '../limits.js';
import { MAPPABLE_COLUMNS } from '../rows/columns.js';
import { arrayBlocks } from './array-blocks.js';
import { checkedText } from './checked-text.js';
import { columnsFile } from './columns.js';
import { conllBlocks } from './conll.js';
import { conllColumns, looksLikeConll } from './conll-columns.js';
import { fastTextBlocks, looksLikeFastText } from './fasttext.js';
import { lineBlocks } from './line-blocks.js';
import type { OpenedFile, OpenOptions } from './opened-file.js';
import { refuseProject } from './projects.js';
import { hasLines, MAX_SNIFFED_BYTES } from './separator.js';
import { openTable } from './table.js';
import { asUtf8, from, peek, unpacked } from './unpack.js';
import { labelColumnOf, webAnnoBlocks, WEBANNO_MARK } from './webanno.js';
import { MAX_HEAD_BYTES, namesBeside, refuseSplits, wrappingOf, type Wrapping } from './wrapped.js';

/**
 * Opens a JSON list, JSONL, CSV, Parquet or Arrow file, plain or packed. All but tables with types are read with the memory of some rows.
 * @throws UnreadableFileError (while iterating, too) when the file as a whole cannot be read; the message is for the user
 */
export async function openFile(source: AsyncIterable<Uint8Array>, options: OpenOptions): Promise<OpenedFile> {
  const { head: magic, rest: bytes, isPacked, packing, name, isBrat } = await unpacked(source, options);
  if (isBrat) return bratFile(bytes, options);
  if (options.format === 'brat')
    throw new UnreadableFileError('the file was uploaded as BRAT, but is not a zip archive of .txt and .ann files');
  const told = options.format ?? formatOfName(name ?? options.fileName);
  if (PARQUET_MAGIC.includes(magic.toString('latin1', 0, 4))) {
    // Imported lazily: it loads the native library.
    const { openParquet } = await import('./parquet.js');
    return openParquet(bytes, options);
  }
  if (isArrow(magic)) {
    const { openArrow } = await import('./arrow/open-arrow.js');
    const file = await openArrow(bytes, options);
    return packing === null || packing === 'gzipped' ? file : { ...file, container: packing };
  }
  const utf8 = asUtf8(magic, bytes);
  let isWestern = false;
  const onWestern = told === 'json' || told === 'jsonl' ? undefined : () => (isWestern = true);
  const { head, rest } = await peek(skipBlank(checkedText(utf8 ?? bytes, isPacked, onWestern)), 1);
  if (head.length === 0) throw new UnreadableFileError('the file is empty');
  if (told === 'parquet')
    throw new UnreadableFileError('the file was uploaded as Parquet, but does not begin with PAR1');
  if (told === 'arrow')
    throw new UnreadableFileError(
      'the file was uploaded as Arrow, but begins like neither a file (ARROW1) nor a stream',
    );
  const first = String.fromCharCode(head[0] ?? 0);
  if (told === null) refuseMarkup(head.toString('latin1', 0, 16), options.fileName);
  // A token may be a bracket.
  const begun =
    told === null && (first === '[' || first === '{') ? await peek(rest, MAX_SNIFFED_BYTES, hasLines) : null;
  const isTable = ['csv', 'tsv', 'webanno'].includes(told ?? '') || (told === null && first !== '[' && first !== '{');
  const file =
    told === 'conll' || (begun !== null && isConll(begun.head.toString()))
      ? await conll(begun?.rest ?? rest, options)
      : told === 'fasttext'
        ? fastText(rest, options)
        : isTable
          ? await lines(rest, told, options)
          : await json(begun?.rest ?? rest, first, options);
  const said = [file.container, utf8 && 'in UTF-16', packing !== 'gzipped' && packing].filter(Boolean).join(', ');
  const encoding = () => (isWestern ? 'in Windows-1252' : null);
  return { ...file, ...(said !== '' && { container: said }), encoding };
}

/**
 * @throws UnreadableFileError for documents that would be mistaken for tables, and fail there because of their quotes
 */
function refuseMarkup(begun: string, fileName: string | null): void {
  if (/^@relation\s/i.test(begun))
    throw new UnreadableFileError('the file is ARFF; save its table as CSV, in the Explorer of Weka by "Save..."');
  const language = begun.startsWith('<') ? 'XML' : /\.ya?ml$/i.test(fileName ?? '') ? 'YAML' : null;
  if (language !== null)
    throw new UnreadableFileError(
      `the file is ${language}; write its examples as rows of JSON, such as {"text": ..., "entities": [...]}`,
    );
}

/** Whether a text that begins with a bracket has tokens on its lines: one of JSON goes on with a value that has rows, or with the end. */
const isConll = (begun: string): boolean => !/^.\s*["[{\]}]/.test(begun) && looksLikeConll(begun);

/** The format by the file's extension, with or without that of its compression. */
export function formatOfName(fileName: string | null): SourceFormat | null {
  const ending =
    /\.(jsonl|ndjson|json|csv|tsv|parquet|arrow|feather|ftr|conll|conll03|conllu|conllup|\w+_conll|iob|iob2|bio|bioes)(\.gz|\.gzip|\.zst)?$/i
      .exec(fileName ?? '')?.[1]
      ?.toLowerCase();
  if (ending !== undefined && (CONLL_ENDINGS.includes(ending) || ending.endsWith('_conll'))) return 'conll';
  if (ending === 'feather' || ending === 'ftr') return 'arrow';
  return ending === 'ndjson' ? 'jsonl' : ((ending as SourceFormat | undefined) ?? null);
}

const CONLL_ENDINGS = ['conll', 'conll03', 'conllu', 'conllup', 'iob', 'iob2', 'bio', 'bioes'];

/** The second is of one whose footer is encrypted. */
const PARQUET_MAGIC = ['PAR1', 'PARE'];

/** A file begins with `ARROW1`, a stream with the mark of its first message. */
const isArrow = (head: Buffer): boolean =>
  head.toString('latin1') === 'ARROW1\0\0' || (head.length >= 4 && head.readInt32LE() === -1);

async function json(text: AsyncIterable<Buffer>, first: string, options: OpenOptions): Promise<OpenedFile> {
  const { format, columnMapping, limits, blockBytes } = options;
  const columns = [...MAPPABLE_COLUMNS, ...Object.values(columnMapping)];
  const ofList = { format: 'json', form: { kind: 'lines', unit: 'row', isKept: false } } as const;
  if (first === '[') return { ...ofList, blocks: arrayBlocks(text, limits, blockBytes) };
  const { wrapping, rest, begun } =
    format === 'jsonl' ? { wrapping: null, rest: text, begun: NOTHING } : await unwrapped(text, columns);
  if (wrapping === null) {
    const { file, text: rows } = format === 'jsonl' ? { file: null, text: rest } : await columnsFile(rest, begun);
    if (file !== null)
      return { ...ofList, container: file.container, blocks: lineBlocks(file.rows, limits, blockBytes) };
    return {
      ...{ format: 'jsonl', form: { kind: 'lines', unit: 'line', isKept: true } },
      blocks: lineBlocks(rows, limits, blockBytes),
    };
  }
  const { key, beside, keys, depth } = wrapping;
  // The server of the hub describes the columns in `features`, which are read.
  const leftOut = keys.filter((name) => name !== 'features' || !Array.isArray(beside['features']));
  return {
    ...ofList,
    container: `only the list ${JSON.stringify(key)} of a JSON object`,
    leftOut,
    labelNames: namesBeside(beside),
    form: { ...ofList.form, isServed: key === 'rows' },
    blocks: arrayBlocks(rest, limits, blockBytes, (behind) => behind.forEach((name) => leftOut.push(name)), depth),
  };
}

const NOTHING = Buffer.alloc(0);

/** The text of the list within a JSON object, if its beginning shows that it is one. */
async function unwrapped(text: AsyncIterable<Buffer>, columns: readonly string[]) {
  let known = 1;
  let wrapping: Wrapping | 'more' | null = null;
  const { head: begun, rest } = await peek(text, MAX_HEAD_BYTES, (head) => {
    // A beginning that arrives in small pieces is looked at each time that it has doubled.
    if (head.length < 2 * known && head.length > 64) return false;
    known = head.length;
    const found = wrappingOf(head, columns);
    wrapping = found;
    return found !== 'more';
  });
  // A file may have ended since the last look.
  const found = wrapping === 'more' ? wrappingOf(begun, columns) : (wrapping as Wrapping | null);
  if (found !== null && found !== 'more') return { wrapping: found, begun, rest: from(rest, found.start) };
  refuseProject(begun);
  if (found === 'more') refuseSplits(begun);
  return { wrapping: null, begun, rest };
}

/** Lines of text: those of a table, unless its content says otherwise. */
async function lines(
  text: AsyncIterable<Buffer>,
  told: SourceFormat | null,
  options: OpenOptions,
): Promise<OpenedFile> {
  const { head, rest } = await peek(text, MAX_SNIFFED_BYTES, hasLines);
  if (options.format === null && looksLikeConll(head.toString())) return conll(rest, options);
  if (options.format === null && looksLikeFastText(head.toString())) return fastText(rest, options);
  if (head.toString('latin1', 0, WEBANNO_MARK.length) === WEBANNO_MARK) return webAnno(rest, head, options);
  if (told === 'webanno')
    throw new UnreadableFileError(`the file was uploaded as WebAnno TSV 3, but does not begin with ${WEBANNO_MARK}`);
  return openTable(rest, head, told, options);
}

/** Bytes of a CoNLL file in which its columns are looked for. */
const MAX_CONLL_HEAD_BYTES = 1024 * 1024;

async function conll(text: AsyncIterable<Buffer>, options: OpenOptions): Promise<OpenedFile> {
  const { head, rest } = await peek(text, MAX_CONLL_HEAD_BYTES);
  const isWhole = head.length < MAX_CONLL_HEAD_BYTES;
  const columns = conllColumns(`${head.toString()}${isWhole ? '\n' : ''}`, options.columnMapping);
  return {
    format: 'conll',
    container: `CoNLL, ${columns.said}`,
    layout: 'tokens',
    columnMapping: columns.mapping,
    form: { kind: 'lines', unit: 'row', isKept: false },
    blocks: conllBlocks(rest, columns, options.limits, options.blockBytes),
  };
}

const fastText = (text: AsyncIterable<Buffer>, { limits, blockBytes }: OpenOptions): OpenedFile => ({
  format: 'fasttext',
  layout: 'fasttext',
  form: { kind: 'lines', unit: 'line', isKept: false },
  blocks: fastTextBlocks(text, limits, blockBytes),
});

function webAnno(text: AsyncIterable<Buffer>, head: Buffer, { limits, blockBytes }: OpenOptions): OpenedFile {
  const column = labelColumnOf(head.toString());
  return {
    format: 'webanno',
    container: column.said,
    layout: 'spans',
    form: { kind: 'lines', unit: 'row', isKept: false },
    blocks: webAnnoBlocks(text, column, limits, blockBytes),
  };
}

const bratFile = (lines: AsyncIterable<Buffer>, { limits, blockBytes }: OpenOptions): OpenedFile => ({
  format: 'brat',
  container: 'pairs of .txt and .ann files in a zip archive',
  layout: 'brat',
  form: { kind: 'lines', unit: 'row', isKept: false },
  blocks: lineBlocks(lines, limits, blockBytes),
});

/** Skips leading white space. */
async function* skipBlank(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun = false;
  for await (const chunk of text) {
    const start = begun ? 0 : chunk.findIndex((byte) => ![0x20, 0x09, 0x0a, 0x0d].includes(byte));
    if (start < 0) continue;
    begun = true;
    yield start === 0 ? chunk : chunk.subarray(start);
  }
}
