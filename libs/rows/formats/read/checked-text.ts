import { isAscii, isUtf8 } from 'node:buffer';
import { UnreadableFileError } from '../limits.js';
import { GZIP, startsWith, ZIP, ZSTANDARD } from './signatures.js';
import { WesternText } from './western-text.js';

/** Formats that are not read, each with the mend. */
const REFUSED: readonly (readonly [readonly number[], string])[] = [
  [
    [0x78, 0x9c],
    'the file is packed with zlib, as .spacy files are; write its documents as rows, in Python as {"text": doc.text, "entities": [[e.start_char, e.end_char, e.label_] for e in doc.ents]}',
  ],
  [[0x46, 0x45, 0x41, 0x31], 'the file is Feather of the first version; write it again with version 2, or as Parquet'],
  [[0x42, 0x5a, 0x68], 'the file is packed with bzip2; pack it with gzip, Zstandard or zip'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], 'the file is packed with xz; pack it with gzip, Zstandard or zip'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'the file is packed with 7-Zip; pack it with gzip, Zstandard or zip'],
  ...[2, 3, 4, 5].map(
    (version) =>
      [
        [0x80, version],
        'the file is a pickle of Python; write its rows with json.dumps, or its table with to_parquet',
      ] as const,
  ),
  [
    [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66],
    'the file is a database of SQLite; save a query as CSV, as in sqlite3 -csv -header FILE "SELECT text, label FROM rows"',
  ],
  [[0x50, 0x4b, 0x05, 0x06], 'the zip archive holds no file'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'the file is an Office document; save its table as CSV, and upload that'],
  [[0x25, 0x50, 0x44, 0x46], 'the file is a PDF; upload rows as JSON, JSONL, CSV or Parquet'],
];

/**
 * Text as UTF-8, without a byte order mark. Chunks end at character boundaries. Passes text on up to the first invalid
 * byte, and only then throws: the reader knows the row.
 * @param onWestern is called when a text that is not JSON turns out to be Windows-1252. Absent: such text is refused
 * @throws InvalidTextError, UnreadableFileError for unsupported formats
 */
export async function* checkedText(
  source: AsyncIterable<Buffer>,
  packed: boolean,
  onWestern?: () => void,
): AsyncGenerator<Buffer> {
  let position = 0;
  let mayBeWestern = onWestern !== undefined;
  let western: WesternText | null = null;
  const westernOf = (text: Buffer): Buffer => {
    western ??= new WesternText();
    return western.decode(text);
  };
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    if (western !== null) {
      yield westernOf(chunk);
      continue;
    }
    let text: Buffer = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    if (position === 0) {
      if (text.length < 4) {
        held = text;
        continue;
      }
      refuseOtherFormats(text, packed);
      mayBeWestern &&= !isJson(text);
      if (hasMark(text)) {
        text = text.subarray(3);
        position = 3;
        mayBeWestern = false;
      }
    }
    const whole = text.length - unfinished(text);
    held = text.subarray(whole);
    const ready = text.subarray(0, whole);
    if (!isUtf8(ready)) {
      const valid = validLength(ready);
      if (mayBeWestern && isAscii(ready.subarray(0, valid))) {
        held = Buffer.alloc(0);
        yield westernOf(text);
        continue;
      }
      yield ready.subarray(0, valid);
      throw notUtf8(position + valid, packed);
    }
    // Text with a character of UTF-8 is in no other encoding.
    mayBeWestern &&= isAscii(ready);
    position += whole;
    if (whole > 0) yield ready;
  }
  if (position === 0 && held.length > 0) {
    refuseOtherFormats(held, packed);
    mayBeWestern &&= !isJson(held);
    if (hasMark(held)) held = held.subarray(3);
  }
  if (isUtf8(held)) {
    if (held.length > 0) yield held;
  } else if (mayBeWestern) yield westernOf(held);
  else {
    const valid = validLength(held);
    yield held.subarray(0, valid);
    throw notUtf8(position + valid, packed);
  }
  if (western === null) return;
  (western as WesternText).check();
  onWestern?.();
}

function refuseOtherFormats(head: Buffer, packed: boolean): void {
  if (packed && [GZIP, ZSTANDARD, ZIP].some((magic) => startsWith(head, magic)))
    throw new UnreadableFileError('the file is packed twice; pack it once');
  for (const [magic, reason] of REFUSED) if (startsWith(head, magic)) throw new UnreadableFileError(reason);
}

const isJson = (head: Buffer): boolean => /^\s*[[{]/.test(head.toString('latin1', 0, 64));

const hasMark = (text: Buffer): boolean => text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf;

/** Names the byte; the reader of the rows can add the row. */
export class InvalidTextError extends UnreadableFileError {}

const notUtf8 = (position: number, packed: boolean) =>
  new InvalidTextError(`byte ${position + 1}${packed ? ' of the unpacked file' : ''} is not UTF-8; save it as UTF-8`);

/** Trailing bytes of a character that continues in the next chunk. */
function unfinished(text: Buffer): number {
  for (let back = 1; back <= Math.min(3, text.length); back += 1) {
    const byte = text[text.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/** The length of the longest valid UTF-8 prefix, by bisection: O(n log n), at most once per file. */
function validLength(text: Buffer): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const part = text.subarray(0, middle);
    if (isUtf8(part.subarray(0, middle - unfinished(part)))) low = middle;
    else high = middle - 1;
  }
  return low - unfinished(text.subarray(0, low));
}
